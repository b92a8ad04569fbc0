// Models by benchmarks: a table whose heads stay, or on a small screen a list. All words are text and
// never markup. A cell is a link to its case; the arrow keys go from cell to cell.
const make = (name, of = "div", ...children) => {
  const one = document.createElement(of);
  if (name) one.className = name;
  one.append(...children);
  return one;
};
const word = (text, name = "", of = "span") => {
  const one = make(name, of, text);
  one.dir = "auto";
  return one;
};
const NARROW = 560, ROOMY = 66; // pixels of the whole, and of a cell that has room for its number

const link = (cell, name, state) => {
  const one = make(cell.look + (cell.two ? " two" : ""), "a");
  one.href = cell.href;
  one.setAttribute("aria-label", `${name}: ${cell.words}`);
  one.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // a tab of its own
    event.preventDefault();
    state.open(cell.id);
  };
  return one;
};

const table = (data, state) => {
  const grid = make("", "table");
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-label", data.label);
  const head = make("", "tr", make("corner", "td"));
  for (const { name, title, look } of data.columns) {
    const one = make(look, "th", word(name));
    one.scope = "col";
    one.title = title;
    head.append(one);
  }
  const body = make("", "tbody");
  for (const { name, title, look, family, cells } of data.rows) {
    if (family) {
      const one = make("", "th", word(family));
      one.colSpan = data.columns.length + 1;
      one.scope = "colgroup";
      body.append(make("family", "tr", one));
    }
    const one = make(look, "th", word(name));
    one.scope = "row";
    one.title = title;
    const line = make("", "tr", one);
    for (const [column, cell] of cells.entries()) {
      const place = make("", "td");
      place.setAttribute("role", "gridcell");
      if (cell) {
        const pair = `${name} × ${data.columns[column].name}`;
        const to = link(cell, pair, state);
        to.tabIndex = -1;
        if (cell.sign) to.append(make("sign", "span", cell.sign));
        to.append(make("figure", "span", cell.figure));
        to.said = [pair, cell.words];
        place.append(to);
      } else {
        place.append(make("none", "span", "–"));
        place.setAttribute("aria-label", data.none);
      }
      line.append(place);
    }
    body.append(line);
  }
  grid.append(make("", "thead", head), body);
  return grid;
};

// One stop for the tab key; from there the arrow keys, Home and End lead on.
const walk = (grid) => {
  const lines = [...grid.tBodies[0].rows].filter((row) => !row.classList.contains("family"))
    .map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
  const first = lines.flat().find(Boolean);
  if (first) first.tabIndex = 0;
  const go = (to) => {
    grid.querySelectorAll("a[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
    to.tabIndex = 0;
    to.focus();
    to.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  grid.onkeydown = (event) => {
    const row = lines.findIndex((line) => line.includes(event.target));
    if (row < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const column = lines[row].indexOf(event.target);
    const along = { ArrowRight: lines[row].slice(column + 1), End: lines[row].slice(column + 1).reverse(),
      ArrowLeft: lines[row].slice(0, column).reverse(), Home: lines[row].slice(0, column),
      ArrowDown: lines.slice(row + 1).map((line) => line[column]),
      ArrowUp: lines.slice(0, row).reverse().map((line) => line[column]) }[event.key];
    if (!along) return;
    event.preventDefault();
    event.stopPropagation();
    const next = along.find(Boolean);
    if (next) go(next);
  };
};

const listed = (data, state) => {
  const all = make("", "ol");
  for (const [row, column] of data.order) {
    const cell = data.rows[row].cells[column];
    const model = data.rows[row].name, benchmark = data.columns[column].name;
    const to = link(cell, `${model} × ${benchmark}`, state);
    to.className = "";
    to.append(make("sign " + cell.look, "span", cell.sign),
      make("name", "span", word(model), make("", "i", "×"), word(benchmark)),
      make("figure", "span", cell.figure));
    all.append(make("", "li", to));
  }
  return all;
};

const explain = (box, tip) => {
  const show = ({ target }) => {
    const to = target.closest?.("a");
    if (!to?.said) return;
    tip.replaceChildren(word(to.said[0], "", "b"), word(to.said[1]));
    tip.hidden = false;
    const cell = to.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const below = cell.bottom + 6 + own.height < innerHeight;
    tip.style.left = Math.max(8, Math.min(cell.left, innerWidth - own.width - 8)) + "px";
    tip.style.top = (below ? cell.bottom + 6 : Math.max(8, cell.top - own.height - 6)) + "px";
  };
  const hide = () => { tip.hidden = true; };
  box.addEventListener("mouseover", show);
  box.addEventListener("focusin", show);
  box.addEventListener("mouseout", hide);
  box.addEventListener("focusout", hide);
  box.addEventListener("scroll", hide, true);
  box.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
};

export default function ({ parentElement, data, setTriggerValue }) {
  const state = (parentElement.dcq ??= {});
  state.open = (id) => setTriggerValue("opened", id);
  const now = JSON.stringify(data);
  if (state.drawn === now) return; // the page was drawn again: what has the focus keeps it
  state.drawn = now;
  state.sizes?.disconnect();
  const box = make("dcq-matrix"), tip = make("tip"), scroll = make("scroll");
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the name of the cell says the same
  const legend = make("legend", "div", ...data.legend.map(({ sign, look, words }) => {
    const mark = make(look, "b", sign);
    mark.setAttribute("aria-hidden", "true");
    return make("", "span", ...(sign || look ? [mark] : []), words);
  }));
  box.append(scroll, legend, tip);
  explain(box, tip);
  let narrow = null;
  const fit = () => {
    const width = parentElement.getBoundingClientRect().width;
    if (!width) return;
    if (narrow !== (width < NARROW)) {
      narrow = width < NARROW;
      const drawn = narrow ? listed(data, state) : table(data, state);
      scroll.replaceChildren(drawn);
      if (!narrow) walk(drawn);
      scroll.style.width = narrow ? "100%" : "";
    }
    scroll.classList.toggle("dense", !narrow && (width - 170) / data.columns.length < ROOMY);
  };
  parentElement.querySelector(".dcq-matrix")?.remove();
  parentElement.append(box);
  fit();
  state.sizes = new ResizeObserver(fit);
  state.sizes.observe(parentElement);
  return () => state.sizes.disconnect();
}
