import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImportRows, Refused } from "../../../core/impex/entity.ts";
import type { KnownColumns } from "../../../core/impex/known-words.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import type { Assignee } from "../../../core/rules/roster.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type Named, NamedClients } from "../../../mixins/named/named-clients.ts";
import { NamedPeople } from "../impex/named-people.ts";
import { NamedProjects } from "../impex/named-projects.ts";
import { rosterOfRow } from "../impex/roster-of-row.ts";
import { seedStatuses, statusRules, storedStatuses } from "../statuses/status-rows.ts";
import { knownLabels, knownStatuses } from "./known-names.ts";
import { TASK_COLUMNS } from "./sheet-columns.ts";
import { type NamedStatus, statusNamed, wordsOfStatuses } from "./sheet-statuses.ts";

const STATUSES = statement(`select key, name, position, is_terminal, is_default, requires_interaction from task_statuses
  where organisation_id = $1 order by position, key`);
const LABELS = statement("select id, name from task_labels where organisation_id = $1");

/** The values of a task in a row, in the terms of a body. Blank columns are omitted. */
export interface ReadTask {
  readonly values: Values;
  readonly roster: readonly Assignee[] | undefined;
  readonly labels: readonly string[] | undefined;
}

/** Columns that name other records; the rest are the task's own. */
const NAMING = new Set(["id", "company", "company_name", "project", "status", "responsible", "assignees", "labels"]);
const OWN = new Set(TASK_COLUMNS.map(({ key }) => key).filter((key) => !NAMING.has(key)));
const wordIn = (row: Values, column: string): string | undefined => (row[column] as string | undefined)?.trim() || undefined;

/** Resolves the words of a file in the current organisation, in a fixed number of statements however many rows there are. */
export class SheetMeanings {
  readonly #clients: NamedClients;
  readonly #projects: NamedProjects;
  readonly #people: NamedPeople;
  readonly #statuses: readonly NamedStatus[];
  readonly #labels: ReadonlyMap<string, string>;

  private constructor(
    clients: NamedClients,
    projects: NamedProjects,
    people: NamedPeople,
    statuses: readonly NamedStatus[],
    labels: ReadonlyMap<string, string>,
  ) {
    this.#clients = clients;
    this.#projects = projects;
    this.#people = people;
    this.#statuses = statuses;
    this.#labels = labels;
  }

  static async open(rows: ImportRows): Promise<SheetMeanings> {
    const [clients, projects] = [new Set<string>(), new Set<string>()];
    for await (const row of rows) {
      for (const column of ["company", "company_name"]) clients.add(wordIn(row, column) ?? "");
      projects.add(wordIn(row, "project") ?? "");
    }
    for (const words of [clients, projects]) words.delete("");
    const { id } = request().organisation;
    // The first use seeds the statuses.
    await statusRules();
    const labels = await query<{ id: string; name: string }>(LABELS, [id]);
    return new SheetMeanings(
      await NamedClients.open(clients),
      await NamedProjects.open(projects),
      await NamedPeople.open(),
      await query<NamedStatus & Values>(STATUSES, [id]),
      new Map(labels.map((label) => [sameName(label.name), label.id])),
    );
  }

  /** The accepted words by column. */
  get words(): Record<string, string[]> {
    return { status: wordsOfStatuses(this.#statuses), labels: [...this.#labels.keys()] };
  }

  /** The words of the columns that name statuses, labels and members. */
  static async known(): Promise<KnownColumns> {
    const { id } = request().organisation;
    // Not through the request's cache, which would hide the statuses that the import makes.
    if ((await storedStatuses()).length === 0) seedStatuses();
    const [people, statuses, labels] = [
      await NamedPeople.open(),
      await query<NamedStatus & Values>(STATUSES, [id]),
      await query<{ id: string; name: string }>(LABELS, [id]),
    ];
    return {
      status: knownStatuses(statuses),
      labels: knownLabels(labels.map(({ name }) => name)),
      responsible: people.known,
      assignees: people.known,
    };
  }

  /** The client a row names, with the column that names it; null if neither column does. */
  #client(row: Values): (Named & { column: string }) | null {
    const [word, name] = [wordIn(row, "company"), wordIn(row, "company_name")];
    const found = word === undefined ? undefined : this.#clients.of(word);
    if (found && ("id" in found || name === undefined)) return { ...found, column: "company" };
    return name === undefined ? null : { ...this.#clients.of(name), column: "company_name" };
  }

  #project(row: Values, client: Named | null): Named | null {
    const word = wordIn(row, "project");
    return word === undefined ? null : this.#projects.of(word, client && "id" in client ? client.id : undefined);
  }

  /** The ids of the client and project a row names, as far as they are known. */
  placeOf(row: Values): { company_id: string | undefined; project_id: string | undefined } {
    const client = this.#client(row);
    const project = this.#project(row, client);
    return {
      company_id: client && "id" in client ? client.id : undefined,
      project_id: project && "id" in project ? project.id : undefined,
    };
  }

  /**
   * A row in the terms of a body, or its errors by column.
   * @param before the stored roster; null for a new task, which inherits one if the row names no one
   */
  read(row: Values, before: readonly Assignee[] | null): ReadTask | { refused: Refused } {
    const refused: Refused = {};
    const client = this.#client(row);
    const project = this.#project(row, client);
    if (client && "error" in client) refused[client.column] = client.error;
    if (project && "error" in project) refused["project"] = project.error;

    const word = wordIn(row, "status");
    const status = word === undefined ? undefined : statusNamed(word, this.#statuses);
    if (word !== undefined && status === undefined) refused["status"] = "impex.errors.invalid_option";

    const named = row["labels"] as readonly string[] | undefined;
    const labels = named?.map((name) => this.#labels.get(sameName(name.trim())));
    if (labels?.includes(undefined)) refused["labels"] = "impex.errors.unresolved_reference";

    const roster = rosterOfRow(row, this.#people, before);
    if ("refused" in roster) Object.assign(refused, roster.refused);
    if (Object.keys(refused).length > 0 || "refused" in roster) return { refused };

    const own = Object.fromEntries(Object.entries(row).filter(([key]) => OWN.has(key)));
    if (own["allocated_minutes"] !== undefined) own["allocated_minutes"] = Number(own["allocated_minutes"]);
    const { company_id, project_id } = this.placeOf(row);
    return {
      values: {
        ...own,
        ...(status !== undefined && { status }),
        ...(company_id !== undefined && { company_id }),
        ...(project_id !== undefined && { project_id }),
      },
      roster: roster.assignees,
      labels: labels as string[] | undefined,
    };
  }
}
