"""Goals of agents: planned, judged and carried out step by step (db/schemas/64_goals.sql).

recovery.py  what «Recupero crediti» asks of whom, and its letters: pure
planning.py  plan the steps of a goal on a day
running.py   judge a claimed step and carry it out in one transaction
dry_run.py   the same code against the past 90 days, rolled back
anchors.py   sign how the chains of the ethical log end, and check the signatures
"""
