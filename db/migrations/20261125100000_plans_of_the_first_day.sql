-- A connection keeps the plans of its functions. Those made while the tables were empty read them from end to end, for as
-- long as nobody analyses them: the first few thousand payments took longer each. What the ledger and the payments ask
-- for, they ask for by a key, so they never scan. (A function that is replaced has to say so again.)

alter function private.adjust_credits set enable_seqscan = off;
alter function private.apply_dispute set enable_seqscan = off;
alter function private.apply_refund set enable_seqscan = off;
alter function private.apply_session set enable_seqscan = off;
alter function private.assert_wallet set enable_seqscan = off;
alter function private.book set enable_seqscan = off;
alter function private.close_hold set enable_seqscan = off;
alter function private.close_hold_of_answer set enable_seqscan = off;
alter function private.draw set enable_seqscan = off;
alter function private.expire_wallet set enable_seqscan = off;
alter function private.fulfil_order set enable_seqscan = off;
alter function private.grant_credits set enable_seqscan = off;
alter function private.handle_payment_event set enable_seqscan = off;
alter function private.handle_stored_event set enable_seqscan = off;
alter function private.hold_credits set enable_seqscan = off;
alter function private.is_order_free set enable_seqscan = off;
alter function private.lock_hold set enable_seqscan = off;
alter function private.lock_wallet set enable_seqscan = off;
alter function private.open_order set enable_seqscan = off;
alter function private.order_of set enable_seqscan = off;
alter function private.record_payment_event set enable_seqscan = off;
alter function private.record_payment_events set enable_seqscan = off;
alter function private.refund_order set enable_seqscan = off;
alter function private.refundable set enable_seqscan = off;
alter function private.release_hold set enable_seqscan = off;
alter function private.settle_dispute set enable_seqscan = off;
alter function private.settle_hold set enable_seqscan = off;
alter function private.settle_refunds set enable_seqscan = off;
alter function private.take set enable_seqscan = off;
alter function private.used_this_month set enable_seqscan = off;
alter function private.withdraw_order set enable_seqscan = off;
