"""The demo account: a year of Giulia Ferri, graphic designer in Bologna, with her papers and what Socio says of them.

Clients, deals, tasks and notes are those of «Dati di esempio» (db/schemas/46_demo_data.sql). Here are the papers with
their files, the conversations and the memories. Everything is made by code, and all days are relative to today.
"""
