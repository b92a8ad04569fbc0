"""Who answers: endpoints, the chat client, the embedded model, prices. All calls to a model go out
from here."""
