// Draws a slide {kind, title, ruling, picture, sentences, source, link, number, of}, after pictures.js.
const drawSlide = (slide) => {
  const body = make("body");
  const one = make("dcq-slide " + slide.kind, "section", make("", "h1", word(slide.title)), body);
  one.setAttribute("aria-roledescription", "slide");
  if (slide.ruling)
    body.append(make("ruling " + look(slide.ruling), "div", word(SIGNS[slide.ruling] ?? "", "sign"), word(slide.ruling)));
  if (slide.picture) body.append(draw(slide.picture));
  for (const sentence of slide.sentences) body.append(make("said", "p", word(sentence)));
  const link = slide.link ? make("link", "a", "In the app") : null;
  if (link) link.href = slide.link;
  one.append(make("", "footer", link, word(slide.source, "source"), word(`${slide.number} / ${slide.of}`, "number")));
  return one;
};

// Makes what is on a slide smaller until all of it is inside: a long name or text must not push the
// rest off the edge.
const LEAST = 0.3;
const fit = (slide) => {
  if (getComputedStyle(slide).overflow === "visible") return; // a small screen, which scrolls
  const head = slide.querySelector("h1"), body = slide.querySelector(".body");
  const most = slide.clientHeight * (slide.classList.contains("title") ? 0.5 : 0.24);
  slide.style.removeProperty("--head");
  body.style.removeProperty("--fit");
  for (let size = 1; size > LEAST && head.offsetHeight > most; size *= 0.92) slide.style.setProperty("--head", size);
  const picture = body.querySelector(":scope > .dcq-picture > *"); // its own size is given, and what is in it may be larger
  const outside = () => (picture && picture.scrollHeight > picture.clientHeight + 1) || body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1 || slide.scrollHeight > slide.clientHeight + 1;
  for (let size = 1; size > LEAST && outside(); size *= 0.95) body.style.setProperty("--fit", size + "em");
};
