import { isSeen, type NamedRecord } from "../../../core/database/named-record.ts";
import { query } from "../../../core/database/query.ts";
import { askedIds, knownIds } from "../../../core/impex/identity.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Named } from "../../../mixins/named/named-clients.ts";
import { namedProject } from "../named-records.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../visibility.ts";

const seen = (clients: boolean, slot: string) => (clients ? projectsOfClient : projectsOfStaff)(slot);
const BY_WORD = forStaffAndClients((clients) =>
  statement(`select t.id, t.name, t.company_id from projects t where t.organisation_id = $1
    and ($3::uuid[] is null or ${seen(clients, "$3::uuid[]")})
    and (t.name collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[])) order by t.id for key share`),
);

/** A project as exports show it: its name if unique among the projects the caller sees, else its id. */
export const exportedProject = (clients: boolean): NamedRecord => {
  const project = namedProject(clients);
  return {
    ...project,
    name: (sources) => `case when exists (select 1 from projects o where o.organisation_id = r.organisation_id and o.id <> r.id
      and o.name collate kantoor_text = r.name and ${isSeen(project, "o", sources)}) then r.id::text else r.name end`,
  };
};

interface FoundProject {
  id: string;
  name: string;
  company_id: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Resolves projects named in a file: by id, else by a name that only one has; among several, by the row's own client. Loaded once per
 * import.
 */
export class NamedProjects {
  readonly #byName = new Map<string, FoundProject[]>();
  readonly #byId = new Map<string, string>();

  /** Looks all words up in one statement. */
  static async open(words: ReadonlySet<string>): Promise<NamedProjects> {
    const named = new NamedProjects();
    if (words.size === 0) return named;
    const { organisation, principal } = request();
    const given = [...words].flatMap((word) => (UUID.test(word) ? word.toLowerCase() : []));
    const values = [organisation.id, [...words], principal?.selection ?? null, askedIds("project", given)];
    const found = await query<FoundProject>(BY_WORD(), values);
    for (const row of found) named.#byName.set(sameName(row.name), [...(named.#byName.get(sameName(row.name)) ?? []), row]);
    const visible = found.map(({ id }) => ({ id, is_visible: true }));
    for (const [id, row] of knownIds("project", given, visible).byId) named.#byId.set(id, row.id);
    return named;
  }

  /** @param companyId the client that the row names, if it does */
  of(word: string, companyId: string | undefined): Named {
    const id = this.#byId.get(word.toLowerCase());
    if (id !== undefined) return { id };
    const alike = this.#byName.get(sameName(word)) ?? [];
    const ofClient = alike.filter(({ company_id }) => company_id === companyId);
    const [only, other] = alike.length > 1 && ofClient.length > 0 ? ofClient : alike;
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only.id } : { error: "impex.errors.ambiguous_match" };
  }
}
