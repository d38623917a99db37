import { ConfigurationError } from "../core/config/config.ts";

/** An actor's name in the registry and its file, relative to the root. */
export interface ActorFile {
  name: string;
  file: string;
}

/**
 * Compiles one pattern: an actor with its sub-actors (`companies` and `companies.*` alike), a glob of names (`leave.*`, `*.impex`), or all
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
 * Selects the actors that match the patterns. `!api` excludes actors; exclusions alone select all others. `none` alone selects no actor,
 * for a node that only runs actors of another kind.
 * @throws ConfigurationError if a pattern matches no actor, or no actor is left
 */
export function selectActors<A extends ActorFile>(patterns: readonly string[], actors: readonly A[]): A[] {
  if (patterns.length === 1 && patterns[0] === "none") return [];
  const read = patterns.map((given) => {
    const isOut = given.startsWith("!");
    const matches = matcherOf(isOut ? given.slice(1) : given);
    if (!actors.some(matches))
      throw new ConfigurationError(`No actor or module is called '${given.replace(/^!/, "")}': see docs/operating.md.`);
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
