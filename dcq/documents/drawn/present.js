// The deck on the screen, after pictures.js and slides.js: above all else that the page shows.
export default function ({ parentElement, data, setTriggerValue }) {
  const PLACE = "present_at";
  const slides = data.slides;
  parentElement.dcq?.stop();
  const stage = make("dcq-deck");
  stage.setAttribute("popover", "manual"); // above the sidebar, whatever its state
  stage.setAttribute("role", "region");
  stage.setAttribute("aria-label", "Slides");
  stage.tabIndex = -1;
  const shown = make("shown");
  shown.style.height = "100%";
  shown.setAttribute("aria-live", "polite");
  const notes = make("notes");
  notes.hidden = true;
  const button = (text, act) => {
    const one = make("", "button", text);
    one.type = "button";
    one.onclick = act;
    return one;
  };
  const back = button("Back", () => go(now - 1)), forward = button("Forward", () => go(now + 1));
  const controls = make("controls", "div", back, forward,
    button("Notes", () => toggle()), button("Full screen", () => fullScreen()), button("Leave", () => setTriggerValue("left", true)));
  stage.append(shown, notes, controls);
  parentElement.querySelector(":scope > .dcq-deck")?.remove(); // what else is there is the style
  parentElement.append(stage);
  const lift = () => {
    if (stage.matches(":popover-open")) stage.hidePopover();
    if (stage.isConnected) stage.showPopover();
  };
  let now = 0;
  const go = (wanted) => {
    now = Math.min(Math.max(wanted, 1), slides.length);
    const slide = drawSlide(slides[now - 1]);
    shown.replaceChildren(slide);
    notes.replaceChildren(...slides[now - 1].notes.map((line) => make("", "p", word(line))));
    back.disabled = now === 1;
    forward.disabled = now === slides.length;
    fit(slide);
    const address = new URL(location.href);
    address.searchParams.set(PLACE, now);
    history.replaceState(history.state, "", address);
  };
  const toggle = () => { notes.hidden = !notes.hidden; };
  const fullScreen = async () => {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen?.();
  };
  let digits = "", waiting;
  const hear = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !stage.isConnected) return;
    const { key } = event;
    if (key >= "0" && key <= "9" && key.length === 1) {
      digits += key;
      clearTimeout(waiting);
      waiting = setTimeout(() => { go(Number(digits)); digits = ""; }, 500);
      return;
    }
    const acts = {
      ArrowRight: () => go(now + 1), ArrowDown: () => go(now + 1), PageDown: () => go(now + 1), " ": () => go(now + 1),
      ArrowLeft: () => go(now - 1), ArrowUp: () => go(now - 1), PageUp: () => go(now - 1),
      Home: () => go(1), End: () => go(slides.length), f: fullScreen, F: fullScreen, n: toggle, N: toggle,
    };
    if (event.target.closest?.("button") && (key === " " || key === "Enter")) return;
    if (!acts[key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[key]();
  };
  const again = () => { const slide = shown.firstElementChild; if (slide) fit(slide); };
  let still;
  const moved = () => {
    controls.classList.add("seen");
    clearTimeout(still);
    still = setTimeout(() => controls.classList.remove("seen"), 2000);
  };
  document.addEventListener("keydown", hear, true);
  document.addEventListener("fullscreenchange", lift);
  window.addEventListener("resize", again);
  stage.addEventListener("mousemove", moved);
  lift();
  go(Number(new URL(location.href).searchParams.get(PLACE)) || 1);
  document.fonts?.ready.then(again);
  stage.focus({ preventScroll: true });
  const stop = () => {
    document.removeEventListener("keydown", hear, true);
    document.removeEventListener("fullscreenchange", lift);
    window.removeEventListener("resize", again);
    clearTimeout(waiting);
    clearTimeout(still);
  };
  parentElement.dcq = { stop };
  return stop;
}
