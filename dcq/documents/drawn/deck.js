// Every slide of a file, after pictures.js and slides.js.
const deck = document.querySelector(".dcq-deck");
for (const slide of JSON.parse(document.getElementById("slides").textContent)) {
  const drawn = drawSlide(slide);
  deck.append(drawn);
  fit(drawn);
}
