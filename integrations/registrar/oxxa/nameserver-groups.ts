import { createHash } from "node:crypto";
import { drain } from "../../../core/jobs/drain.ts";
import { type RegistrarAccess, RegistrarFailure } from "../provider.ts";
import { command } from "./oxxa-client.ts";
import { readHosts } from "./values.ts";
import { textIn, type XmlElement } from "./xml.ts";

const PREFIX = "kantoor";
const SLOTS = [1, 2, 3, 4, 5, 6] as const;
/** Groups fetched concurrently. */
const AT_ONCE = 4;

/** The name of the registrar's group of these name servers: the same hosts give the same name, in any order (assets §10.4). */
export const groupAlias = (hosts: readonly string[]): string =>
  `${PREFIX}-${createHash("sha256")
    .update([...hosts].sort().join(","))
    .digest("hex")
    .slice(0, 12)}`;

const hostsIn = (element: XmlElement | undefined): string[] => readHosts(SLOTS.map((slot) => textIn(element, `ns${slot}_fqdn`)));

/** The name servers of one group, sorted. */
export const membersOf = async (access: RegistrarAccess, group: string): Promise<string[]> =>
  hostsIn(await command(access, "nsgroup_get", { nsgroup: group }));

/** The name servers of groups, each group fetched once. */
export async function membersOfAll(access: RegistrarAccess, groups: Iterable<string>): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  await drain([...new Set(groups)], { atOnce: AT_ONCE }, async (group) => members.set(group, await membersOf(access, group)));
  return members;
}

/**
 * The group of exactly these name servers under its own name, created if missing. Domains share groups, so a group never changes.
 * @param hosts sorted
 * @throws RegistrarFailure of the kind `conflict` for a group of that name with other members
 */
export async function groupOf(access: RegistrarAccess, hosts: readonly string[]): Promise<string> {
  const alias = groupAlias(hosts);
  const listed = (await command(access, "nsgroup_list", { alias, records: "-1" }))?.children ?? [];
  const handles = listed
    .filter(({ name }) => name === "nsgroup")
    .filter((group) => textIn(group, "alias")?.toLowerCase() === alias)
    .flatMap((group) => textIn(group, "handle") ?? []);
  for (const handle of handles) if ((await membersOf(access, handle)).join() === hosts.join()) return handle;
  if (handles.length > 0) throw new RegistrarFailure("conflict", "errors.registrar_nsgroup_conflict");
  const named = Object.fromEntries(hosts.map((host, at) => [`ns${at + 1}_fqdn`, host]));
  const made = (await command(access, "nsgroup_add", { alias, ...named }, "create"))?.text;
  if (!made) throw new RegistrarFailure("failed", "the registrar did not return the name of the new group of name servers");
  return made;
}
