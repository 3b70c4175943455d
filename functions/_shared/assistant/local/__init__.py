"""The model without a provider: Italian read by rules, the same tools, answers from templates. 0 credits.

words.py, table.py   a sentence as rules see it; the rules (intents.json) read once
match.py             which intent, by the first rule that holds; details.py, orders.py, questions.py: its slots
likely.py            the nearest reading of a question for which no rule holds (examples.json, written by
                     scripts/assistant_examples.py); never an order
conversation.py      follow-ups: «e domani?», «scrivigli un sollecito»; turns.py: choices, whole conversations
steps.py, plans/     which tools, in which order, and the answer; voices.py: the five agents by rule
model.py             all of it as a model of pydantic-ai (the only file here that imports it)
"""
