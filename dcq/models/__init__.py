"""Endpoints, the chat client, the embedded model, prices. All calls to a model are made here."""
