import { isSeen, type NamedRecord } from "../../../../core/database/named-record.ts";
import { query } from "../../../../core/database/query.ts";
import { askedIds, knownIds } from "../../../../core/impex/identity.ts";
import type { KnownWords } from "../../../../core/impex/known-words.ts";
import { sameName } from "../../../../core/impex/matching.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { Named } from "../../../../mixins/named/named-clients.ts";
import { namedTask } from "../../named-records.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../../visibility.ts";

const BY_WORD = forStaffAndClients((clients) =>
  statement(`select t.id, t.title, t.project_id from tasks t where t.organisation_id = $1
    and ($3::uuid[] is null or ${(clients ? tasksOfClient : workOfStaff)("$3::uuid[]")})
    and (t.title collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[])) order by t.id for key share`),
);

/**
 * A task as an export of entries shows it: its title if unique among the tasks the caller sees and in the same project as row `t`, else its
 * id.
 */
export const exportedTask = (clients: boolean): NamedRecord => {
  const task = namedTask(clients);
  return {
    ...task,
    name: (
      sources,
    ) => `case when r.project_id = t.project_id and not exists (select 1 from tasks o where o.organisation_id = r.organisation_id
      and o.id <> r.id and o.title collate kantoor_text = r.title and ${isSeen(task, "o", sources)}) then r.title else r.id::text end`,
  };
};

interface FoundTask {
  id: string;
  title: string;
  project_id: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Resolves tasks named in a file: by id, else by a title that only one has, within the row's project if it names one. Loaded once per
 * import.
 */
export class NamedTasks {
  readonly #byTitle = new Map<string, FoundTask[]>();
  readonly #byId = new Map<string, string>();

  /** Looks up all words in one statement. */
  static async open(words: ReadonlySet<string>): Promise<NamedTasks> {
    const named = new NamedTasks();
    if (words.size === 0) return named;
    const { organisation, principal } = request();
    const given = [...words].flatMap((word) => (UUID.test(word) ? word.toLowerCase() : []));
    const values = [organisation.id, [...words], principal?.selection ?? null, askedIds("task", given)];
    const found = await query<FoundTask>(BY_WORD(), values);
    for (const row of found) {
      const key = sameName(row.title);
      named.#byTitle.set(key, [...(named.#byTitle.get(key) ?? []), row]);
    }
    const visible = found.map(({ id }) => ({ id, is_visible: true }));
    for (const [id, row] of knownIds("task", given, visible).byId) named.#byId.set(id, row.id);
    return named;
  }

  /** The words that name a task of any project. */
  get known(): KnownWords {
    return { has: (word) => this.#byId.has(word.toLowerCase()) || this.#byTitle.has(sameName(word)) };
  }

  /** @param projectId the row's project, if it names one */
  of(word: string, projectId: string | undefined): Named {
    const id = this.#byId.get(word.toLowerCase());
    if (id !== undefined) return { id };
    const titled = this.#byTitle.get(sameName(word)) ?? [];
    const [only, other] = titled.filter(({ project_id }) => projectId === undefined || project_id === projectId);
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only.id } : { error: "impex.errors.ambiguous_match" };
  }
}
