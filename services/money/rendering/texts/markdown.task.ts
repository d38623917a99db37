import { markdown } from "./markdown.ts";

/** Markdown texts as HTML. A task for threads. */
export default (sources: readonly string[]): string[] => sources.map(markdown);
