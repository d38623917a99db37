import { markdown } from "./markdown.ts";

/** Renders markdown texts as HTML. Runs in worker threads. */
export default (sources: readonly string[]): string[] => sources.map(markdown);
