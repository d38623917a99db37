import { ConfigurationError } from "../core/config/config.ts";

/** An actor by its name in the registry, and the file that holds it below the root. */
export interface ActorFile {
  name: string;
  file: string;
}

/**
 * What one pattern names: an actor with its sub-actors (`companies` and `companies.*` alike), a glob of names (`leave.*`, `*.impex`), or all
 * actors of a folder below `services` or `integrations` (`money`, `edge`, `integrations`).
 */
function matcherOf(pattern: string): (actor: ActorFile) => boolean {
  const root = pattern.replace(/\.\*$/, "");
  if (root.includes("*")) {
    const glob = new RegExp(`^${root.split("*").map(RegExp.escape).join(".*")}$`);
    return ({ name }) => glob.test(name);
  }
  return ({ name, file }) =>
    name === root || name.startsWith(`${root}.`) || new RegExp(`^((services|integrations)/)?${RegExp.escape(root)}/`).test(file);
}

/**
 * The actors that patterns name. `!api` leaves actors out; with such patterns alone all others are meant. `none` alone means none of them, for
 * a node that is given actors of another kind.
 * @throws ConfigurationError for a pattern that names no actor, and when nothing is left
 */
export function selectActors<A extends ActorFile>(patterns: readonly string[], actors: readonly A[]): A[] {
  if (patterns.length === 1 && patterns[0] === "none") return [];
  const read = patterns.map((given) => {
    const isOut = given.startsWith("!");
    const matches = matcherOf(isOut ? given.slice(1) : given);
    if (!actors.some(matches))
      throw new ConfigurationError(`No actor is called '${given.replace(/^!/, "")}', and no module: see docs/operating.md.`);
    return { isOut, matches };
  });
  const wanted = read.filter(({ isOut }) => !isOut);
  const left = actors.filter(
    (actor) =>
      (wanted.length === 0 || wanted.some(({ matches }) => matches(actor))) &&
      !read.some(({ isOut, matches }) => isOut && matches(actor)),
  );
  if (left.length === 0) throw new ConfigurationError(`The patterns ${patterns.join(" ")} leave no actor for this node.`);
  return left;
}
