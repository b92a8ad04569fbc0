"""Pictures drawn by the browser from numbers and words, which are data and never markup: on slides,
in the HTML report, on screens. What draws them is ``pictures.js`` and ``pictures.css`` beside this
file; ``dcq.documents.pictures`` makes the data."""
