// Runs in the browser, in the head of each page of the guide: sets the choices of the reader before the first paint, the rest once the page
// is there. Without it every page can be read, and the search is a form.
const root = document.documentElement;
const LANGUAGES = ["sh", "ts", "python"];

/** What the reader chose, or null; a browser may refuse to keep anything. */
function kept(name) {
  try {
    return localStorage.getItem(`kantoor.guide.${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`kantoor.guide.${name}`, value);
  } catch {
    // The choice holds for this page.
  }
}

root.dataset.script = "on";
const theme = kept("theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
const language = kept("language");
root.dataset.language = LANGUAGES.includes(language) ? language : LANGUAGES[0];

const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function startTheme() {
  const button = document.querySelector(".theme");
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep("theme", root.dataset.theme);
    show();
  });
  show();
}

function startLanguages() {
  const buttons = [...document.querySelectorAll(".switch button")];
  const show = () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.language === root.dataset.language));
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      // The page keeps its place, though samples above it change their height.
      const before = button.getBoundingClientRect().top;
      root.dataset.language = button.dataset.language;
      keep("language", button.dataset.language);
      show();
      scrollBy(0, button.getBoundingClientRect().top - before);
    });
  show();
}

function startCopying() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(block.querySelector("pre").textContent).then(
        () => true,
        () => false,
      );
      button.textContent = isCopied ? "Copied" : "Not copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
}

/** What scrolls sideways can be reached and scrolled by keyboard. */
function startScrolling() {
  const mark = () => {
    for (const block of document.querySelectorAll("pre, .table"))
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
      else block.removeAttribute("tabindex");
  };
  mark();
  addEventListener("resize", mark);
  addEventListener("click", mark);
}

/** Marks the part that is read in the contents of the page. */
function startContents() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  if (links.size === 0) return;
  const headings = [...document.querySelectorAll("main h2[id], main h3[id]")];
  const mark = () => {
    const seen = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    for (const [id, link] of links) link.classList.toggle("seen", id === encodeURIComponent(seen.id));
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

/** The entry's rank for these words, or 0 without one of them: title before heading before text, the beginning of a word before its inside. */
function rankOf({ title, heading, text, weight }, words) {
  let rank = weight;
  for (const word of words) {
    const at = [title, heading, text].findIndex((part) => part.includes(word));
    if (at === -1) return 0;
    rank += [40, 20, 2][at];
    if (` ${[title, heading, text][at]}`.includes(` ${word}`)) rank += 3;
  }
  return rank;
}

/** The passage around the first word, with every word marked. */
function passage(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((found) => found >= 0)) - 40);
  const from = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const shown = `${from > 0 ? "…" : ""}${text.slice(from, from + 130)}${text.length > from + 130 ? "…" : ""}`;
  const line = document.createElement("small");
  const parts = shown.split(new RegExp(`(${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`, "iu"));
  line.append(
    ...parts.map((part, index) =>
      index % 2 === 1 ? Object.assign(document.createElement("mark"), { textContent: part }) : part,
    ),
  );
  return line;
}

let reading;
/** All pages in parts, all errors and all operations; read at the first use of the search. */
function entries() {
  reading ??= fetch("/api/guide/assets/search.json")
    .then((answer) => answer.json())
    .then(({ pages, errors, operations }) => [
      ...pages.flatMap(([address, title, parts]) =>
        parts.map(([anchor, heading, text]) => ({
          kind: "Guide",
          address: anchor ? `${address}#${anchor}` : address,
          name: heading ? `${title} › ${heading}` : title,
          shown: text,
          weight: heading ? 2 : 6,
          title: heading ? "" : title.toLowerCase(),
          heading: `${title} ${heading}`.toLowerCase(),
          text: text.toLowerCase(),
        })),
      ),
      ...[...errors.map((entry) => ["Error", ...entry]), ...operations.map((entry) => ["Operation", ...entry])].map(
        ([kind, address, name, shown]) => ({
          kind,
          address,
          name,
          shown,
          weight: 1,
          title: "",
          heading: `${name} ${kind === "Operation" ? shown : ""}`.toLowerCase(),
          text: shown.toLowerCase(),
        }),
      ),
    ]);
  reading.catch(() => (reading = undefined));
  return reading;
}

function startSearch() {
  const input = document.querySelector(".search input");
  const list = document.querySelector(".results");
  const status = document.querySelector(".found");
  let chosen = -1;
  const options = () => [...list.querySelectorAll("[role=option]")];
  const show = (isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) choose(-1);
    if (!isOpen && options().length > 0) status.textContent = "";
  };
  const choose = (index) => {
    chosen = index;
    for (const [at, option] of options().entries()) option.setAttribute("aria-selected", String(at === index));
    const option = options()[index];
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  };
  const look = async () => {
    const typed = input.value;
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      list.replaceChildren();
      status.textContent = "";
      return show(false);
    }
    const known = await entries().catch(() => []);
    // The reader typed on while the entries came.
    if (input.value !== typed) return;
    const found = known
      .map((entry) => ({ entry, rank: rankOf(entry, words) }))
      .filter(({ rank }) => rank > 0)
      .sort((one, other) => other.rank - one.rank)
      .slice(0, 12);
    list.replaceChildren(
      ...found.map(({ entry }, index) => {
        const option = Object.assign(document.createElement("a"), { id: `result-${index}`, href: entry.address, tabIndex: -1 });
        option.setAttribute("role", "option");
        const kind = Object.assign(document.createElement("span"), { className: "kind", textContent: entry.kind });
        option.append(kind, Object.assign(document.createElement("b"), { textContent: entry.name }), passage(entry.shown, words));
        return option;
      }),
    );
    status.textContent = found.length === 0 ? "Nothing found" : found.length === 1 ? "1 result" : `${found.length} results`;
    show(found.length > 0);
    choose(-1);
  };
  input.addEventListener("focus", () => entries().catch(() => {}), { once: true });
  input.addEventListener("input", look);
  input.addEventListener("keydown", (event) => {
    const { length } = options();
    if (event.key === "Escape") {
      status.textContent = "";
      show(false);
    } else if (list.hidden) return;
    else if (event.key === "ArrowDown") choose((chosen + 1) % length);
    else if (event.key === "ArrowUp") choose((chosen - 1 + length) % length);
    else if (event.key === "Enter" && chosen >= 0) options()[chosen].click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".search")) return;
    status.textContent = "";
    show(false);
  });
  list.addEventListener("click", () => show(false));
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if ((event.key !== "/" || isTyping) && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

addEventListener("DOMContentLoaded", () => {
  startTheme();
  startLanguages();
  startCopying();
  startScrolling();
  startContents();
  startSearch();
  const side = document.querySelector(".side");
  const current = side.querySelector("[aria-current]");
  if (current) side.scrollTop = current.offsetTop - side.clientHeight / 2;
});
