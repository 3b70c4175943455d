"""Lints of the catalog: each query lists offenders, so the answer must be empty.

The ideas are those of splinter (https://github.com/supabase/splinter) that apply to a schema of ours, and a few more.
"""

from __future__ import annotations

import pytest

from tests.db.conftest import World

pytestmark = pytest.mark.anyio

# Definer functions that a browser may run: the role check, the number of early-bird seats that are taken, how the
# installation runs, and what acts on several of the caller's own rows at once.
CALLABLE_DEFINERS = {
    "continue_goal(uuid,integer)",
    "has_role(uuid,text)",
    "takes_archive()",
    "retention_register()",
    "limit_processing(boolean)",
    "consent_timeline()",
    "early_bird_seats()",
    "service_status()",
    "remember(text,memory_kind,uuid,text,uuid,boolean)",
    "keep_memory(uuid,text)",
    "pause_memory(uuid)",
    "forget(uuid[],uuid,boolean)",
    "recall_memories(text,integer,uuid)",
    "search_contacts(text,integer)",
    "search_tasks(text,integer,boolean)",
    "contact_named_in(text)",
    "companies_named(text)",
    # Only these write mandates, goals and what was decided of their steps; the log and the switches are private.
    "give_mandate(text,text,goal_autonomy,bigint,integer,integer,text[],boolean,boolean,boolean,integer,integer,single_line,text[])",
    "revoke_mandate(uuid)",
    "plan_goal(text,text)",
    "start_goal(text,text)",
    "move_goal(uuid,goal_state)",
    "stop_agents(boolean)",
    "agents_stopped()",
    "decide_goal_steps(uuid[],text[],boolean)",
    "verify_ethical_log()",
    "edit_goal_step(uuid,single_line,text)",
    "own_ibans()",
    "business_suggestions()",
    "agent_week()",
    # Of indexes that owners write to; they read no row.
    "private.name_key(text)",
    "private.paper_numbers(jsonb)",
    "private.title_lexemes(uuid,text)",
    "record_consent(uuid,consent_channel,consent_purpose,consent_state,text,text,text)",
    "export_contact(uuid)",
    "erase_contact(uuid,text,boolean)",
    "find_contact_data(uuid)",
    # Only these write requests of clients, whose dates and names are never a browser's to say.
    "register_contact_request(uuid,contact_request_kind,date,text)",
    "extend_contact_request(uuid,text)",
    "close_contact_request(uuid,contact_request_outcome,text)",
    "ensure_stages()",
    "take_back_deal(uuid,uuid,uuid,timestamp with time zone,text)",
    "find_duplicates(integer)",
    "similar_contacts(jsonb)",
    "merge_contacts(uuid,uuid,jsonb)",
    "undo_merge(uuid)",
    "begin_import(text,import_kind,integer,jsonb,integer)",
    "import_contacts(uuid,jsonb,text)",
    "finish_import(uuid)",
    "undo_import(uuid)",
    "add_demo_data()",
    "remove_demo_data()",
    "calendar_secret()",
    "renew_calendar_secret()",
    "revoke_calendar_secret()",
    "search_documents(text,integer,jsonb)",
    "document_hits(uuid,text)",
    "ask_documents(text,uuid,integer)",
    "confirm_field(uuid,text,text,integer,integer[],text)",
    "set_document_kind(uuid,document_kind)",
    "add_tax_deadlines()",
    "flat_rate_if(bigint)",
    "mark_invoice_paid(uuid,date)",
    "mark_schedule_paid(uuid,date)",
    "remind_of_schedules(uuid,integer)",
    "confirm_invoice(uuid)",
    "leave_out_of_register(uuid,boolean)",
    "unregistered_documents(uuid[])",
    "month_packet(date)",
    "parties_to_link()",
    "link_parties(jsonb)",
    "unlink_parties(jsonb)",
    "link_document_contact(uuid,uuid)",
    "refuse_document_contact(uuid)",
    "contact_from_document(uuid)",
    "notification_choices()",
    "restore_notifications(uuid[])",
    "home_overview()",
    "answer_insight(uuid,insight_state,timestamp with time zone,text)",
    "switch_insights(text,boolean)",
    "take_tool_call(uuid,text,jsonb)",
    "settle_tool_call(uuid,text,jsonb,jsonb,jsonb,timestamp with time zone,text)",
    "stop_run(uuid)",
    "search_conversations(text,integer)",
    "queue_whatsapp(uuid,uuid,text,uuid,jsonb,text,boolean,uuid,uuid)",
    "retry_whatsapp_media(uuid)",
    "cancel_whatsapp(uuid)",
    "decide_whatsapp(uuid,boolean)",
    "preview_whatsapp_answer(whatsapp_answer_when,text,date)",
    "whatsapp_usage(date)",
    "set_whatsapp_rate(text,text,date,text,bigint)",
    "search_mails(text,integer)",
    "search_whatsapp(text,integer)",
    "decide_thread(uuid,boolean)",
    "make_thread_deal(uuid)",
    "queue_mail(uuid,uuid,text,text,text,mail_basis,uuid,uuid[],timestamp with time zone,boolean,uuid,boolean,boolean)",
    "next_mail_time(timestamp with time zone)",
    "preview_campaign(uuid[],text,text,mail_basis)",
    "queue_campaign(uuid,uuid[],text,text,mail_basis,integer,timestamp with time zone)",
    "preview_whatsapp_campaign(uuid[],uuid,jsonb,boolean,timestamp with time zone)",
    "queue_whatsapp_campaign(uuid,uuid[],uuid,jsonb,boolean,integer,boolean,timestamp with time zone)",
    "resume_campaign(uuid)",
    "cancel_campaign(uuid)",
    "cancel_mail(uuid)",
    "decide_mail(uuid,boolean)",
    "answer_mail(uuid,uuid,uuid,text,text,text)",
    "roadmap_board()",
    "vote_roadmap_item(bigint,boolean)",
    "send_idea(text,text)",
    "my_ideas()",
    "delete_idea(bigint)",
    # For admins; each begins with private.require_admin().
    "admin_overview()",
    "admin_report(text,integer)",
    "admin_payment_events(boolean)",
    "admin_replay_event(text,text)",
    "admin_sweep_holds(text)",
    "admin_guardrail()",
    "admin_set_guardrail(jsonb,text)",
    "admin_accounts(text,timestamp with time zone,uuid)",
    "admin_take_over_alarm(text,text)",
    "admin_suspend_account(uuid,boolean,text)",
    "admin_set_admin(uuid,boolean,text)",
    "admin_grant_credits(uuid,integer,uuid,text)",
    "admin_ai_rates()",
    "admin_set_ai_rate(text,text,date,text,numeric,numeric,numeric)",
    "admin_ask_for_restore_test(text)",
    "admin_breaches()",
    "admin_keys()",
    "admin_processing_activities()",
    "admin_write_processing_activity(jsonb,text)",
    "admin_write_breach("
    + ",".join(
        [
            "timestamp with time zone",
            "text",
            "text",
            "integer",
            *["text"] * 3,
            *["timestamp with time zone"] * 2,
            "bigint",
        ]
    )
    + ")",
    "admin_tax_parameters()",
    "admin_set_tax_parameter(text,date,numeric,text)",
    "admin_uptime()",
    "admin_write_incident(text,text,text,text[],bigint)",
    "admin_error_groups(text,integer)",
    "admin_error_trace(bigint)",
    "admin_decide_error(bigint,text,text,text,integer)",
    "admin_roadmap()",
    "admin_write_roadmap_item(text,text,text,boolean,date,text,bigint,bigint)",
    "admin_answer_idea(bigint,bigint,text)",
    "admin_qa(text)",
    "admin_qa_picture(bigint)",
    "admin_keep_qa_run(jsonb,jsonb)",
    "admin_judge_qa(text,text,text,text,text,date)",
    "admin_ask_qa(text)",
    "admin_cancel_qa(uuid)",
}

OURS = "('public'::regnamespace, 'private'::regnamespace)"

LINTS = {
    "table without row level security": f"""
        select oid::regclass::text from pg_class
        where relnamespace in {OURS} and relkind in ('r', 'p') and not relrowsecurity
    """,
    "table with policies whose owner an API role is": """
        select oid::regclass::text from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and pg_get_userbyid(relowner) in ('anon', 'authenticated', 'service_role', 'authenticator')
    """,
    "policy without a TO clause": """
        select policyname from pg_policies where schemaname in ('public', 'private') and 'public' = any (roles)
    """,
    "two permissive policies for one command and role": """
        select tablename, cmd, role from pg_policies, unnest(roles) as role
        where schemaname = 'public' and permissive = 'PERMISSIVE' group by 1, 2, 3 having count(*) > 1
    """,
    "policy for all commands": """
        select policyname from pg_policies where schemaname = 'public' and cmd = 'ALL'
    """,
    "policy that calls a function once per row": r"""
        select policyname, text from pg_policies, unnest(array[qual, with_check]) as text
        where schemaname in ('public', 'private')
          and regexp_replace(text, '\( SELECT (auth\.\w+|private\.\w+)\(\) AS \w+\)', '', 'g') ~ '(auth|private)\.\w+\('
    """,
    "policy that trusts metadata the user can write": """
        select policyname from pg_policies where concat(qual, with_check) ~ 'user_metadata|raw_user_meta_data'
    """,
    "policy that is always true": """
        select policyname from pg_policies
        where schemaname = 'public' and 'service_role' <> all (roles) and (qual = 'true' or with_check = 'true')
    """,
    "policy column that leads no index": """
        select policyname, attname from pg_policies
        join pg_attribute on attrelid = format('%I.%I', schemaname, tablename)::regclass and attnum > 0
        where schemaname = 'public' and concat(qual, with_check) ~ ('\\m' || attname || '\\M') and not exists (
          select from pg_index where indrelid = attrelid and indkey[0] = attnum and indpred is null
        )
    """,
    "foreign key without an index": f"""
        select conname from pg_constraint
        where contype = 'f' and connamespace in {OURS} and not exists (
          select from pg_index where indrelid = conrelid and indpred is null
            and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
        )
    """,
    "foreign key without a written on delete": f"""
        select conname from pg_constraint where contype = 'f' and connamespace in {OURS} and confdeltype = 'a'
    """,
    "foreign key into auth that is not to a primary key": f"""
        select conname from pg_constraint foreign_key
        join pg_class on pg_class.oid = confrelid and relnamespace = 'auth'::regnamespace
        where contype = 'f' and connamespace in {OURS} and not exists (
          select from pg_constraint where contype = 'p' and conrelid = foreign_key.confrelid
              and conkey = foreign_key.confkey
        )
    """,
    "index twice": f"""
        select min(indexrelid::regclass::text) from pg_index join pg_class on pg_class.oid = indrelid
        where relnamespace in {OURS}
        group by indrelid, indkey::text, indoption::text, indclass::text,
          coalesce(pg_get_expr(indpred, indrelid), ''), coalesce(pg_get_expr(indexprs, indrelid), '')
        having count(*) > 1
    """,
    "table without a primary key": f"""
        select oid::regclass::text from pg_class
        where relnamespace in {OURS} and relkind in ('r', 'p') and not exists (
          select from pg_constraint where conrelid = pg_class.oid and contype = 'p'
        )
    """,
    "table without a comment": f"""
        select oid::regclass::text from pg_class
        where relnamespace in {OURS} and relkind in ('r', 'p', 'v', 'm') and obj_description(oid) is null
    """,
    "function without a comment": f"""
        select oid::regprocedure::text from pg_proc where pronamespace in {OURS} and obj_description(oid) is null
    """,
    "function with a search path a caller can change": f"""
        select oid::regprocedure::text from pg_proc
        where pronamespace in {OURS} and not coalesce(proconfig, '{{}}') @> array['search_path=""']
    """,
    "function that everybody may run": f"""
        select pg_proc.oid::regprocedure::text
        from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
        where pronamespace in {OURS} and acl.grantee = 0 and acl.privilege_type = 'EXECUTE'
    """,
    "trigger function that an API role may run": f"""
        select oid::regprocedure::text, role
        from pg_proc, unnest(array['anon', 'authenticated', 'service_role']) as role
        where pronamespace in {OURS} and prorettype = 'trigger'::regtype
          and has_function_privilege(role, oid, 'execute')
    """,
    "function of a role that calls one the role may not run": f"""
        select caller.oid::regprocedure::text, role, called.oid::regprocedure::text
        from pg_proc as caller
        cross join unnest(array['anon', 'authenticated', 'service_role']) as role
        join pg_proc as called on called.pronamespace in {OURS}
          and caller.prosrc ~ format('\\m%s\\.%s\\(', called.pronamespace::regnamespace, called.proname)
        where caller.pronamespace in {OURS} and not caller.prosecdef
          and has_function_privilege(role, caller.oid, 'execute')
          and not has_function_privilege(role, called.oid, 'execute')
    """,
    "view that runs as its owner": f"""
        select oid::regclass::text from pg_class
        where relnamespace in {OURS} and relkind = 'v'
          and not coalesce(reloptions, '{{}}') && array['security_invoker=on', 'security_invoker=true']
    """,
    "materialised view or foreign table in the API": """
        select oid::regclass::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('m', 'f')
    """,
    "extension in an exposed schema": """
        select extname from pg_extension where extnamespace in ('public'::regnamespace, 'private'::regnamespace)
    """,
    "account table shown to the API": """
        select oid::regclass::text, role from pg_class, unnest(array['anon', 'authenticated']) as role
        where relnamespace = 'auth'::regnamespace and relkind in ('r', 'v')
          and has_any_column_privilege(role, oid, 'select, insert, update, references')
    """,
    "default privilege left to an API role": """
        select defaclrole::regrole::text, defaclobjtype, grantee::regrole::text
        from pg_default_acl, aclexplode(defaclacl)
        where defaclnamespace = 'public'::regnamespace and defaclrole = current_user::regrole
          and grantee::regrole::text in ('anon', 'authenticated', 'service_role')
    """,
    "right that only an owner should have": f"""
        select pg_class.oid::regclass::text, grantee::regrole::text, privilege_type
        from pg_class, aclexplode(relacl)
        where relnamespace in {OURS} and grantee::regrole::text in ('anon', 'authenticated', 'service_role')
          and privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
    """,
    "table-wide insert or update for a browser": """
        select pg_class.oid::regclass::text, grantee::regrole::text, privilege_type
        from pg_class, aclexplode(relacl)
        where relnamespace = 'public'::regnamespace and grantee::regrole::text in ('anon', 'authenticated')
          and privilege_type in ('INSERT', 'UPDATE')
    """,
    "browser with a way into the private schema": """
        select role from unnest(array['anon', 'authenticated', 'authenticator']) as role
        where has_schema_privilege(role, 'private', 'usage') or has_schema_privilege(role, 'private', 'create')
    """,
    "API role that may create in public": """
        select role from unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) as role
        where has_schema_privilege(role, 'public', 'create')
    """,
    "login role with more than the right to switch": """
        select rolname from pg_roles
        where rolname = 'authenticator' and (rolinherit or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)
        union all
        select roleid::regrole::text from pg_auth_members
        where member = 'authenticator'::regrole
          and roleid::regrole::text not in ('anon', 'authenticated', 'service_role')
    """,
}


@pytest.mark.parametrize("lint", LINTS)
async def test_catalog_has_no(lint: str, world: World) -> None:
    assert [tuple(row) for row in await world.connection.fetch(LINTS[lint])] == []


async def test_definer_functions_a_browser_may_run_are_on_the_list(world: World) -> None:
    rows = await world.connection.fetch(
        f"""
        select oid::regprocedure::text as name from pg_proc
        where pronamespace in {OURS} and prosecdef and exists (
          select from unnest(array['anon', 'authenticated']) as role where has_function_privilege(role, oid, 'execute')
        )
        """
    )
    assert {row["name"] for row in rows} == CALLABLE_DEFINERS
