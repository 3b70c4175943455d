"""The model without a provider: Italian read by rules and likeness, the same tools, answers from templates. 0 credits.

words.py, table.py   a sentence as rules see it; the rules (intents.json) read once
match.py             which intent, by the first rule that holds; details.py, orders.py, questions.py: its slots
learned/             what a sentence is like among those that people wrote: a model of word weights (learned.json,
                     written by scripts/assistant_training.py)
understanding.py     both together: which of the two is taken, and what is too unsure to be taken
vat.py               whether a question wants amounts net or with VAT
conversation.py      follow-ups: «e domani?», «scrivigli un sollecito»; turns.py: choices, whole conversations
steps.py, plans/     which tools, in which order, and the answer; voices.py: the five agents by rule
model.py             all of it as a model of pydantic-ai (the only file here that imports it)
"""
