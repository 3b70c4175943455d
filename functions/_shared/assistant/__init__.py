"""The assistant: what a turn of a conversation is made of, whichever model answers.

turn.py        what one turn knows: whose, when, which records it may cite, what it proposed
tools/         what models may call: reading runs freely, writing becomes a proposal
supervisor.py  the rules that every proposal meets, E-01 to E-12
approvals.py   proposing, carrying out once, taking back
local/         the model without a provider: Italian intents over the same tools
agents.py      the five characters and the council, on pydantic-ai
provider.py    the model behind AI_MODEL, guarded
origins.py     strangers' texts as data; citations.py: the last gate of an answer, by the rules of markup.py
figures.py     which figures of an answer stand nowhere; sums.py: those it adds up before our eyes
settlements.py which answers call everything paid without a proof
learning.py    what people say in chat, found by facts.py, is proposed to be remembered
engine.py      runs a turn: credits, the end; answering.py asks the model, told.py and feed.py tell what it says
"""
