"""Endpoints, the chat client, the embedded and the sentence model, prices. All calls to a model are
made here."""
