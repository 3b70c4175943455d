"""Goals of agents: planned, judged and carried out step by step (db/schemas/64_goals.sql).

agents.py    the agents by name
proposals.py what an agent is: it proposes steps, and says why one is not true any more
chasing.py   agents that write letters to clients about what is open, level by level
recovery.py  what «Recupero crediti» asks of whom, and its letters: pure
channels.py  whether a letter goes by mail, WhatsApp or PEC, and whether it still can
quotes.py    the same for «Segui i preventivi»
chores.py    agents that put the person's own data in order
planning.py  plan the steps of a goal on a day
running.py   judge a claimed step and carry it out in one transaction
dry_run.py   the same code against the past 90 days, rolled back
anchors.py   sign how the chains of the ethical log end, and check the signatures
"""
