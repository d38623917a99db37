import { query } from "../../../../core/database/query.ts";
import type { Values } from "../../../../core/database/write.ts";
import type { ImportRows, Refused } from "../../../../core/impex/entity.ts";
import { bare } from "../../../../core/impex/field.ts";
import type { KnownColumns } from "../../../../core/impex/known-words.ts";
import { callerId } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { type Named, NamedClients } from "../../../../mixins/named/named-clients.ts";
import { NamedPeople } from "../../impex/named-people.ts";
import { NamedProjects } from "../../impex/named-projects.ts";
import { seedEntryTypes } from "../types/entry-types.ts";
import { knownEntryTypes } from "./known-types.ts";
import { NamedTasks } from "./named-tasks.ts";
import { type SaidTimes, type SheetTimes, saidTimes } from "./sheet-times.ts";

const TYPES = statement("select key, label_i18n from time_entry_types where organisation_id = $1 order by position, key");

/** The values of an entry in a row, in the terms of a body. Blank columns are omitted. */
export interface ReadEntry {
  /** The person who worked; undefined if the row names no one and the importer is not a person. */
  readonly user_id: string | undefined;
  readonly times: SaidTimes;
  readonly about: {
    company_id?: string;
    project_id?: string;
    task_id?: string;
    description?: string;
    entry_type_key?: string;
    billable?: boolean;
  };
}

const wordIn = (row: Values, column: string): string | undefined => (row[column] as string | undefined)?.trim() || undefined;

/** Finds a type's key by the key itself, or by a label that no other type has. */
function typesNamed(types: readonly { key: string; label_i18n: Record<string, string> }[]): ReadonlyMap<string, string> {
  const labelled = types.flatMap(({ key, label_i18n: label }) =>
    [...new Set(Object.values(label).map(bare))].map((name) => ({ name, key })),
  );
  const byLabel = [...Map.groupBy(labelled, ({ name }) => name)].flatMap(([name, [one, other]]) =>
    one && !other ? [[name, one.key] as const] : [],
  );
  return new Map([...byLabel, ...types.map(({ key }) => [bare(key), key] as const)]);
}

/** Resolves the words of a file in the current organisation, in a fixed number of statements however many rows there are. */
export class EntryMeanings {
  /** The accepted words for a type. */
  readonly types: readonly string[];
  readonly #clients: NamedClients;
  readonly #projects: NamedProjects;
  readonly #tasks: NamedTasks;
  readonly #people: NamedPeople;
  readonly #typeKeys: ReadonlyMap<string, string>;
  /** Whether an unknown task's name is put before the description instead of refused. */
  readonly #describesTasks: boolean;

  private constructor(
    found: { clients: NamedClients; projects: NamedProjects; tasks: NamedTasks; people: NamedPeople },
    types: readonly { key: string; label_i18n: Record<string, string> }[],
    describesTasks: boolean,
  ) {
    this.types = types.flatMap(({ key, label_i18n: label }) => [...new Set([key, ...Object.values(label)])]);
    this.#clients = found.clients;
    this.#projects = found.projects;
    this.#tasks = found.tasks;
    this.#people = found.people;
    this.#typeKeys = typesNamed(types);
    this.#describesTasks = describesTasks;
  }

  static async open(rows: ImportRows, describesTasks: boolean): Promise<EntryMeanings> {
    const [clients, projects, tasks] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for await (const row of rows) {
      for (const column of ["company", "company_name"]) clients.add(wordIn(row, column) ?? "");
      projects.add(wordIn(row, "project") ?? "");
      tasks.add(wordIn(row, "task") ?? "");
    }
    for (const words of [clients, projects, tasks]) words.delete("");
    seedEntryTypes();
    const found = {
      clients: await NamedClients.open(clients),
      projects: await NamedProjects.open(projects),
      tasks: await NamedTasks.open(tasks),
      people: await NamedPeople.open(),
    };
    const types = await query<{ key: string; label_i18n: Record<string, string> }>(TYPES, [request().organisation.id]);
    return new EntryMeanings(found, types, describesTasks);
  }

  /**
   * The words of the columns that name members and types; hours without their person would be the caller's.
   * @param tasks the words of the file for tasks, which are left out where no task has the name; none if each is an error or a description
   */
  static async known(tasks: ReadonlySet<string>): Promise<KnownColumns> {
    seedEntryTypes();
    const types = await query<{ key: string; label_i18n: Record<string, string> }>(TYPES, [request().organisation.id]);
    return {
      employee: { ...(await NamedPeople.open()).known, isEssential: true },
      entry_type_key: knownEntryTypes(types, typesNamed(types)),
      ...(tasks.size > 0 && { task: (await NamedTasks.open(tasks)).known }),
    };
  }

  /** The client a row names, with the column that names it; null if neither column does. */
  #client(row: Values): (Named & { column: string }) | null {
    const [word, name] = [wordIn(row, "company"), wordIn(row, "company_name")];
    const found = word === undefined ? undefined : this.#clients.of(word);
    if (found && ("id" in found || name === undefined)) return { ...found, column: "company" };
    return name === undefined ? null : { ...this.#clients.of(name), column: "company_name" };
  }

  /** A row in the terms of a body, or its errors by column. */
  read(row: Values): ReadEntry | { refused: Refused } {
    const refused: Refused = {};
    const idOf = (named: Named | null, column: string): string | undefined => {
      if (named && "error" in named) refused[column] = named.error;
      return named && "id" in named ? named.id : undefined;
    };
    const [employee, project, task, type] = ["employee", "project", "task", "entry_type_key"].map((one) => wordIn(row, one));
    const user_id = employee === undefined ? (callerId() ?? undefined) : idOf(this.#people.of(employee), "employee");
    const client = this.#client(row);
    const company_id = idOf(client, client?.column ?? "");
    const project_id = idOf(project === undefined ? null : this.#projects.of(project, company_id), "project");
    const namedTask = task === undefined ? null : this.#tasks.of(task, project_id);
    const isText = this.#describesTasks && namedTask !== null && !("id" in namedTask);
    const task_id = isText ? undefined : idOf(namedTask, "task");
    const entry_type_key = type === undefined ? undefined : this.#typeKeys.get(bare(type));
    if (type !== undefined && entry_type_key === undefined) refused["entry_type_key"] = "errors.time_entry_type_unknown";
    const times = saidTimes(row as SheetTimes, organisationZone());
    if ("refused" in times) return { refused: { ...refused, ...times.refused } };
    if (Object.keys(refused).length > 0) return { refused };
    const text = row["description"] as string | undefined;
    const description = isText ? [task, text].filter(Boolean).join(": ") : text;
    const about = { company_id, project_id, task_id, description, entry_type_key, billable: row["billable"] };
    return {
      user_id,
      times,
      about: Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)) as ReadEntry["about"],
    };
  }
}
