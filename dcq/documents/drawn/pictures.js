// Draws a picture {kind, data, words} with elements whose words are text and never markup.
// All sizes are in em, so that a picture is as large as the letters around it.
const make = (name, of = "div", ...children) => {
  const one = document.createElement(of);
  if (name) one.className = name;
  one.append(...children.filter((child) => child !== null && child !== undefined));
  return one;
};
const at = (one, styles) => {
  for (const [name, value] of Object.entries(styles)) one.style.setProperty(name, value);
  return one;
};
const known = (value) => typeof value === "number" && Number.isFinite(value);
// Shape and letter say what the colour says.
const SIGNS = { contaminated: "⚑", "no evidence": "✓", undecided: "?" };
const look = (ruling) => "is-" + (ruling || "none").replace(" ", "-");
const word = (text, name = "") => {
  const one = make(name, "span", String(text));
  one.dir = "auto";
  return one;
};

// A line that is cut in its middle, where it must be, so that both ends can be read.
const SHORT = 12; // letters, which are cut at their end
const cut = (text, name) => {
  const half = text.length > SHORT ? Math.max(Math.ceil(text.length * 0.6), text.length - 14) : text.length;
  const one = make("cut " + name, "span", word(text.slice(0, half), "head"));
  if (half < text.length) one.append(word(text.slice(half), "tail"));
  one.title = text;
  return one;
};

const along = (scale, value) => 100 * Math.min(Math.max((value - scale.low) / (scale.high - scale.low), 0), 1);
const label = (text, place, name) => {
  const one = word(text, "label " + name);
  const side = place < 22 ? "from-left" : place > 78 ? "from-right" : "centred";
  one.classList.add(side);
  one.style.setProperty("--place", place + "%");
  return at(one, { left: place + "%" });
};

const track = (row, scale, { single }) => {
  const place = (value) => along(scale, value);
  const line = make("track");
  if (known(scale.line)) line.append(at(make("chance"), { left: place(scale.line) + "%" }));
  if (known(row.expected_low) && known(row.expected_high)) {
    const [low, high] = [place(row.expected_low), place(row.expected_high)];
    line.append(at(make("expected"), { left: low + "%", width: Math.max(high - low, 0.4) + "%" }));
    if (single && row.expected_text) line.append(label(row.expected_text, (low + high) / 2, "below"));
  }
  for (const dot of row.dots ?? [])
    if (known(dot)) line.append(at(make("dot-control"), { left: place(dot) + "%" }));
  if (known(row.found)) {
    const style = row.look || look(row.ruling);
    if (known(row.low) && known(row.high)) {
      const [low, high] = [place(row.low), place(row.high)];
      line.append(at(make("interval " + style), { left: low + "%", width: high - low + "%" }));
    }
    line.append(at(make("mark " + style), { left: place(row.found) + "%" }));
    if (single && row.found_text) line.append(label(row.found_text, place(row.found), "above"));
  }
  return line;
};

const rulers = ({ rows, scale, legend }, choose) => {
  const single = rows.length === 1 && !rows[0].name;
  const box = make("rulers" + (single ? " single" : ""));
  const longest = Math.max(...rows.map((row) => row.value.length));
  if (rows.some((row) => row.ruling)) { if (longest > 16) box.classList.add("wide"); }
  else if (longest < 18) box.classList.add("unjudged");
  const groups = rows.filter((row, index) => row.group && row.group !== rows[index - 1]?.group).length;
  const flat = groups > rows.length / 2; // a line each for the names of groups would be half of all
  const names = rows.map((row) => (flat && row.group ? `${row.name} · ${row.group}` : row.name));
  at(box, { "--names": `min(${flat ? 21 : 15}em, ${Math.max(...names.map((name) => name.length)) / 2 + 1}em)` });
  let group = "";
  for (const [index, row] of rows.entries()) {
    if (!flat && row.group && row.group !== group) box.append(make("group", "div", word(row.group)));
    group = row.group || "";
    const line = make("row");
    if (!single) line.append(cut(names[index], "name"));
    line.append(track(row, scale, { single }));
    if (!single)
      line.append(make("value", "span", word(row.value),
        row.ruling ? word(`${SIGNS[row.ruling] ?? ""} ${row.ruling}`.trim(), "verdict " + look(row.ruling)) : null));
    if (choose && row.id) {
      line.tabIndex = 0;
      line.setAttribute("role", "button");
      line.setAttribute("aria-label", `${row.name}, ${row.group ?? ""}: ${row.value} ${row.ruling ?? ""}`);
      line.onclick = () => choose(row.id);
      line.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(row.id); } };
    }
    box.append(line);
  }
  const axis = make("row axis");
  if (!single) axis.append(make("name", "span"));
  const ticks = make("track");
  for (const [value, text] of scale.ticks) ticks.append(label(text, along(scale, value), "tick"));
  axis.append(ticks);
  if (!single) axis.append(make("value", "span"));
  box.append(axis);
  if (legend.length) {
    const line = make("legend");
    for (const [kind, text] of legend)
      line.append(make("entry", "span", make("key key-" + kind, "span"), word(text)));
    box.append(line);
  }
  return box;
};

const bars = ({ columns, chance, chance_text, legend, hollow }) => {
  const top = Math.max(0.5, ...columns.flatMap((one) => one.values.map((value) => value.high ?? value.share)));
  const plot = make("plot");
  for (const one of columns) {
    const column = make("column" + (one.original ? " original" : ""));
    for (const { share, text, faded } of one.values) {
      const bar = make("bar" + (faded ? " faded" : ""), "div", word(text, "figure"));
      column.append(at(bar, { height: (100 * share) / top + "%" }));
    }
    plot.append(column);
  }
  if (known(chance))
    plot.append(at(make("chance-line", "div", word(chance_text, "label")), { bottom: (100 * chance) / top + "%" }));
  const feet = make("feet");
  for (const one of columns) feet.append(make(one.original ? "original" : "", "div", word(one.name, "letter"), word(one.note ?? "", "note")));
  const box = make("bars" + (hollow ? " hollow" : ""), "div", plot, feet);
  if (legend?.length > 1)
    box.append(make("legend", "div", ...legend.map(([kind, text]) => make("entry", "span", make("key key-" + kind, "span"), word(text)))));
  return box;
};

// Labels of lines that end close to one another are moved apart: ends in per cent from above.
const apart = (places, gap) => {
  const order = places.map((place, index) => [place, index]).sort((a, b) => a[0] - b[0]);
  for (let i = 1; i < order.length; i++) order[i][0] = Math.max(order[i][0], order[i - 1][0] + gap);
  const over = order.length ? order[order.length - 1][0] - 100 : 0;
  if (over > 0) {
    order[order.length - 1][0] -= over;
    for (let i = order.length - 2; i >= 0; i--) order[i][0] = Math.min(order[i][0], order[i + 1][0] - gap);
  }
  const moved = [];
  for (const [place, index] of order) moved[index] = place;
  return moved;
};
const SVG = "http://www.w3.org/2000/svg";
const slope = ({ left, right, lines, scale, legend }) => {
  const from = (value) => 100 - along(scale, value);
  const box = make("slope");
  box.append(make("heads", "div", word(left, "left"), word(right, "right")));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  const middle = make("middle", "div", svg);
  if (known(scale.line)) middle.append(at(make("chance-line"), { top: from(scale.line) + "%" }));
  const named = lines.filter((one) => one.name);
  const longest = Math.max(0, ...named.map((one) => one.name.length + one.right_text.length));
  at(box, { "--names": `min(46%, ${longest / 2 + 3}em)` });
  const gap = Math.min(8, 100 / Math.max(named.length, 1));
  const spread = (side, shown) => {
    const places = apart(shown.map((one) => from(one[side])), gap);
    return new Map(shown.map((one, index) => [one, places[index]]));
  };
  const starts = spread("left", named.filter((one) => !one.control)), ends = spread("right", named);
  const before = make("ends before"), after = make("ends after");
  for (const one of lines) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M0 ${from(one.left)} L100 ${from(one.right)}`);
    const style = look(one.ruling) + (one.control ? " of-control" : "") + (one.part ? " of-part" : "");
    path.setAttribute("class", style);
    svg.append(path);
    middle.append(at(make("mark " + style), { left: "0%", top: from(one.left) + "%" }), at(make("mark " + style), { left: "100%", top: from(one.right) + "%" }));
    if (starts.has(one)) before.append(at(word(one.left_text), { top: starts.get(one) + "%" }));
    if (one.name) after.append(at(make("end " + style, "span", word(one.right_text, "figure"), cut(one.name, "name")), { top: ends.get(one) + "%" }));
  }
  box.append(make("field", "div", before, middle, after));
  if (legend?.length) box.append(make("legend", "div", ...legend.map(([kind, text]) => make("entry", "span", make("key key-" + kind, "span"), word(text)))));
  return box;
};

const waffle = ({ parts, of }) => {
  const grid = make("grid");
  for (const { squares, kind } of parts) for (let i = 0; i < squares; i++) grid.append(make("square " + kind));
  const side = make("side");
  for (const { name, text, kind } of parts)
    side.append(make("part", "div", make("square " + kind, "span"), word(text, "figure"), word(name, "what")));
  side.append(word(of, "of"));
  return make("waffle", "div", grid, side);
};

const matrix = ({ columns, rows, legend }) => {
  const grid = at(make("cells"), { "--columns": columns.length });
  grid.append(make("corner", "span"), ...columns.map((name) => cut(name, "column")));
  for (const row of rows) {
    grid.append(cut(row.name, "row-name"));
    for (const cell of row.cells)
      grid.append(cell ? make("cell " + look(cell.ruling) + (cell.control ? " of-control" : ""), "div",
        word(`${SIGNS[cell.ruling] ?? ""} ${cell.text}`.trim(), "figure"), cell.note ? word(cell.note, "note") : null) : make("cell empty", "div", word("not asked", "note")));
  }
  return make("matrix", "div", grid, make("legend", "div", ...legend.map((text) => word(text, "entry"))));
};

// Words that are not in every option are marked, which tells nobody the original.
const item = ({ options, revealed }) => {
  const box = make("item", "ol");
  for (const { letter, parts, original, chosen } of options) {
    const text = make("text", "span");
    text.dir = "auto";
    for (const [words, differs] of parts) text.append(differs ? make("differs", "mark", words) : words);
    const tags = make("tags", "span");
    if (revealed && original) tags.append(word("original", "tag original"));
    if (revealed && chosen) tags.append(word("chosen", "tag chosen"));
    box.append(make("option" + (revealed && original ? " original" : revealed ? " other" : ""), "li", word(letter, "letter"), text, tags));
  }
  return box;
};

const steps = ({ steps: every }) => {
  const box = make("steps", "ol");
  every.forEach(({ title, text, shape }, index) => {
    const drawing = make("drawing " + shape);
    drawing.setAttribute("aria-hidden", "true");
    const sheet = (name = "") => make("sheet " + name, "span", make("", "i"), make("", "i"), make("", "i"));
    if (shape === "original") drawing.append(sheet("original"));
    else if (shape === "reworded") drawing.append(sheet("original"), make("arrow", "b", "→"), make("pile", "span", sheet(), sheet(), sheet()));
    else if (shape === "question") drawing.append(...["A", "B", "C", "D"].map((letter) => make("choice", "span", word(letter), sheet(letter === "C" ? "asked" : ""))));
    else drawing.append(make("scale", "span", make("band", "span"), make("dot", "span")));
    box.append(make("step", "li", word(index + 1, "number"), drawing, word(title, "title"), word(text, "text")));
  });
  return box;
};

const CHECKS = { good: ["✓", "passed"], caution: ["i", "worth knowing"], bad: ["!", "not passed"] };
const checks = ({ checks: every }) => {
  const box = make("checks", "ul");
  for (const { about, mark, figure } of every) {
    const sign = word(CHECKS[mark]?.[0] ?? "", "sign " + mark);
    sign.setAttribute("aria-label", CHECKS[mark]?.[1] ?? "");
    box.append(make("check " + mark, "li", sign, word(about, "about"), word(figure, "figure")));
  }
  return box;
};

const answers = ({ answers: every }) => make("answers", "ul", ...every.map(({ ruling, sentence }) =>
  make("answer " + look(ruling), "li", make("verdict " + look(ruling), "span", word(SIGNS[ruling] ?? "", "sign"), word(ruling, "ruled")), word(sentence, "sentence"))));

const list = ({ lines }) => make("list", "ul", ...lines.map((line) => make("", "li", word(line))));

const table = ({ columns, rows, numbers }) => {
  const cells = (row, of) => row.map((cell, index) => make(numbers[index] ? "number" : "", of, word(cell)));
  const head = make("", "thead", make("", "tr", ...cells(columns, "th")));
  const body = make("", "tbody", ...rows.map((row) => make("", "tr", ...cells(row, "td"))));
  return make("table", "table", head, body);
};

const KINDS = { rulers, bars, slope, waffle, matrix, item, steps, checks, answers, list, table };
const READ = new Set(["item", "checks", "answers", "list", "table", "steps"]); // as text, not as a picture
const draw = ({ kind, data, words }, choose) => {
  const box = make("dcq-picture " + kind + "-picture", "div", KINDS[kind](data, choose));
  if (!READ.has(kind) && !choose) box.setAttribute("role", "img");
  if (words && !READ.has(kind)) box.setAttribute("aria-label", words);
  return box;
};
