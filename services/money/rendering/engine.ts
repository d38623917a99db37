import { Liquid as Engine, type Liquid, type Template } from "liquidjs";
import { LRUCache } from "lru-cache";
import { escapedHtml } from "../../../core/values/text.ts";

const TAGS = new Set(["if", "unless", "case", "for", "break", "continue", "assign", "capture", "comment", "cycle"]);
const FILTERS = new Set(
  "append capitalize default downcase first join last prepend replace reverse size slice split strip truncate truncatewords upcase".split(
    " ",
  ),
);
/** Longest template, and time and memory of one rendering. */
const MOST_PARSED = 200_000;
const MOST_MILLISECONDS = 2_000;
const MOST_MEMORY = 20_000_000;

/** HTML that we made ourselves and that is put in as it is; every other value is escaped. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

let engine: Liquid | undefined;

/** Liquid without files, includes, prototypes and unknown filters, bounded in time, memory and size; it escapes what it puts in. */
function liquid(): Liquid {
  if (engine) return engine;
  engine = new Engine({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: "escape",
    parseLimit: MOST_PARSED * 2,
    renderLimit: MOST_MILLISECONDS,
    memoryLimit: MOST_MEMORY,
  });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters))
    if (!FILTERS.has(filter) && filter !== "escape") delete engine.filters[filter];
  engine.registerFilter("markup", {
    raw: true,
    handler: (value: unknown) => (value instanceof Markup ? value.html : escapedHtml(String(value ?? ""))),
  });
  return engine;
}

const compiled = new LRUCache<string, Template[]>({ maxSize: 4_000_000, sizeCalculation: (_, source) => source.length + 1 });

/**
 * A template, parsed once.
 * @throws Error whose message is the engine's, for a body that is no template
 */
export function compile(source: string): Template[] {
  let found = compiled.get(source);
  if (!found) {
    found = liquid().parse(source);
    compiled.set(source, found);
  }
  return found;
}

/**
 * A template with the values of a view put in.
 * @throws Error whose message is the engine's
 */
export const renderTemplate = (source: string, view: object): string => String(liquid().renderSync(compile(source), view));
