import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { AREAS, areaOf } from "../areas.ts";

/** Title of the group of tags that no area lists. */
const FURTHER = "Further modules";

const places = new Map(AREAS.flatMap(({ tags }) => Object.keys(tags)).map((tag, at) => [tag, at]));
const placeOf = (tag: string): number => places.get(tag) ?? places.size;

/** A described tag of a document. */
interface DocumentTag {
  name: string;
  "x-displayName"?: string;
  description?: string;
}

/** A tag with its display name and its description: its module's sentence, the addition of its area, and its rules. */
function described(name: string): DocumentTag {
  const about = catalogue().tags[name];
  const tag = areaOf(name)?.tags[name];
  if (!tag) return { name, ...(about !== undefined && { description: about }) };
  const rules = `Rules: \`docs/rules/${tag.chapter}.md\`, chapter ${tag.heading}.`;
  return {
    name,
    "x-displayName": tag.title,
    description: [about, tag.more, rules].filter((part) => part !== undefined).join(" "),
  };
}

/**
 * The tags of a document and their groups, in the order of a working day. Unlisted tags, such as those of a custom module, follow by name in
 * a group of their own.
 */
export function tagsOf(names: Iterable<string>): { tags: DocumentTag[]; "x-tagGroups": { name: string; tags: string[] }[] } {
  const ordered = [...new Set(names)].toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  const groups = Map.groupBy(ordered, (name) => areaOf(name)?.title ?? FURTHER);
  return { tags: ordered.map(described), "x-tagGroups": [...groups].map(([name, tags]) => ({ name, tags })) };
}
