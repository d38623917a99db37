import { entriesActor } from "./fixture-entries.ts";
import { sitesActor } from "./fixture-sites.ts";

/**
 * A module as an author would write it, so that every gate of the kernel has something to bite on: `websites.fixture` is licensed and
 * hangs on companies, `time.fixture` is private to a person and scoped `:own`/`:any`, and both contribute to the company's surfaces.
 */
export const fixture = [sitesActor, entriesActor];
