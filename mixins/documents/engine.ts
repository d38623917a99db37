import type { Context, Liquid, Template } from "liquidjs";
import { LRUCache } from "lru-cache";
import { later } from "../../core/values/later.ts";
import { escapedHtml } from "../../core/values/text.ts";

const liquidjs = later<typeof import("liquidjs")>("liquidjs");

const TAGS = new Set(["if", "unless", "case", "for", "break", "continue", "assign", "capture", "comment", "cycle"]);
const FILTERS = new Set(
  "append capitalize default downcase first join last prepend replace reverse size slice split strip truncate truncatewords upcase".split(
    " ",
  ),
);
/** Limits of one rendering: template length, parts printed, characters printed, and memory for filters and loops. */
const MOST_PARSED = 200_000;
const MOST_STEPS = 1_000_000;
const MOST_PRINTED = 4_000_000;
const MOST_MEMORY = 20_000_000;

/** HTML of our own that is inserted as is; every other value is escaped. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

let engine: Liquid | undefined;

/**
 * The budget of one rendering, in counts instead of time: a template that rendered when saved renders later on any machine. The engine's
 * own limit is a time, and it ignores captured text.
 */
class Allowance {
  #steps = MOST_STEPS;
  #printed = MOST_PRINTED;

  /** The engine calls this before each part. */
  check(): void {
    this.#steps -= 1;
    if (this.#steps < 0) throw new Error("the template needs too many steps");
  }

  print(text: string): void {
    this.#printed -= text.length;
    if (this.#printed < 0) throw new Error("the template prints too much");
  }
}

const textOf = (part: unknown): string => (Array.isArray(part) ? part.map(textOf).join("") : String(part ?? ""));

/** Collects the output of a rendering or a `capture`. */
class Printed {
  buffer = "";
  readonly raw = false;
  readonly #allowance: Allowance;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  write(part: unknown): void {
    const text = textOf(part);
    this.#allowance.print(text);
    this.buffer += text;
  }
}

/** Liquid without files, includes, prototypes and unknown filters, limited in steps, memory and size; it escapes inserted values. */
function liquid(): Liquid {
  if (engine) return engine;
  engine = new (liquidjs().Liquid)({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: "escape",
    parseLimit: MOST_PARSED * 2,
    memoryLimit: MOST_MEMORY,
  });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters))
    if (!FILTERS.has(filter) && filter !== "escape") delete engine.filters[filter];
  const { renderer } = engine;
  const render = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter = new Printed(context.renderLimit as unknown as Allowance)) =>
    render(templates, context, emitter);
  engine.registerFilter("markup", {
    raw: true,
    handler: (value: unknown) => (value instanceof Markup ? value.html : escapedHtml(String(value ?? ""))),
  });
  return engine;
}

const compiled = new LRUCache<string, Template[]>({ maxSize: 4_000_000, sizeCalculation: (_, source) => source.length + 1 });

/**
 * Parses a template, or returns it from the cache.
 * @throws Error with the engine's message, for an invalid template
 */
function compile(source: string): Template[] {
  let found = compiled.get(source);
  if (!found) {
    found = liquid().parse(source);
    compiled.set(source, found);
  }
  return found;
}

/**
 * Renders a template with the values of a view.
 * @throws Error with the engine's message, also for too many steps or too much output
 */
export function renderTemplate(source: string, view: object): string {
  const templates = compile(source);
  const main = liquid();
  const renderLimit = new Allowance() as unknown as Context["renderLimit"];
  const context = new (liquidjs().Context)(view, main.options, { sync: true }, { liquid: main, renderLimit });
  return String(main.renderSync(templates, context));
}
