/** The tools of a migration step: a way to run SQL as the owner, and the quoted name of the application role for its grants. */
export interface StepContext {
  sql: (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;
  application: string;
}

/**
 * One forward step. It must be safe while nodes of the previous version are still running. Once it has landed, its statements are frozen,
 * including texts from other files; its own texts are in the folder of its name, and its digest is in `landed.json`.
 *
 * A step may run several times: it is repeated when others are in its way (apply.ts), and a run without rows shows its indexes first
 * (ahead.ts).
 */
export interface Step {
  up(context: StepContext): Promise<void>;
  /**
   * Does the slow part of the step before, in small transactions of its own, while other nodes write. It may be repeated from its beginning.
   * @returns those statements of `up` that have nothing left to do, which the step then leaves out
   */
  ahead?(sql: StepContext["sql"]): Promise<string[]>;
}

/** Rows that one transaction of a step's slow part changes: it holds their locks for some milliseconds. */
const BATCH = 100;

/**
 * Updates the rows of a table in the order of their ids, a hundred in each transaction.
 * @param set the assignments of the update
 * @param where which rows still need it; it must be false for an updated row
 */
export async function updateInBatches(sql: StepContext["sql"], table: string, set: string, where: string): Promise<void> {
  for (let last: unknown = "00000000-0000-0000-0000-000000000000"; last; ) {
    const { rows } = await sql(
      `with batch as (select id from ${table} where id > $1 and ${where} order by id limit ${BATCH}),
        changed as (update ${table} set ${set} where id in (select id from batch) and ${where})
        select max(id::text) as last from batch`,
      [last],
    );
    last = rows[0]?.["last"];
  }
}

/**
 * The clauses every tenant table carries: row-level security that is forced and shows no row at all while no organisation is bound,
 * and the grants of the application role, which owns nothing.
 */
export function tenantTable(table: string, application: string): string {
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy tenant on ${table} using (organisation_id = nullif(current_setting('app.organisation_id', true), '')::uuid);
    create policy owner on ${table} to current_user using (true) with check (true);
    grant select, insert, update, delete on ${table} to ${application};
  `;
}

/**
 * Makes the type of columns that hold sealed secrets (core/database/sealed.ts), unless an earlier step did. PostgreSQL then refuses a plain
 * secret, and `encryption rotate` finds the column by its type.
 */
export const SEALED_TYPE = `do $$ begin
    create domain sealed as text check (value ~ '^v1[.][0-9a-f]{8}[.]');
  exception when duplicate_object then null; end $$;`;

/**
 * Lets the files of a record go with it, however it goes. For steps before 0160, which guards their triggers: a later step takes
 * `clientRecordTriggers`.
 */
export const filesOfRecord = (table: string, ...entityTypes: string[]): string => `
    create trigger files_gone after delete on ${table} for each row
      execute function remove_files_of_record(${entityTypes.map((type) => `'${type}'`).join(", ")});
  `;

/**
 * The triggers of a table whose rows are records of a client, with files and a list that copies follow: the files go with their record, and
 * `GET /deleted` names it to readers who see that client. The table has a `company_id` that is never null and never changes. They do nothing
 * while an operator writes or deletes a whole organisation.
 */
export function clientRecordTriggers(table: string, entityType: string): string {
  const guard = "when (current_setting('app.whole_organisation', true) is distinct from 'on')";
  return `
    create function ${table}_gone() returns trigger language plpgsql set search_path = public as $$
    begin
      insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
        select o.id, '${entityType}', old.id, 'deleted', array[old.company_id], true from organisations o where o.id = old.organisation_id;
      return old;
    end $$;
    create trigger files_gone after delete on ${table} for each row ${guard} execute function remove_files_of_record('${entityType}');
    create trigger noted_deletion before delete on ${table} for each row ${guard} execute function ${table}_gone();
  `;
}

/**
 * The indexes behind `q` on a table with `search_text` (core/database/lists/search.ts): trigrams within an organisation, and what a search
 * walks without touching the table: all rows in the list's default order, and one row in 64 in random order (the last bytes of an id are
 * random). An entry of such an index may hold 2,700 bytes and a text may be longer, so rows of more than 1,000 stand in indexes of their
 * own, without it.
 * @param order what the index of the default order has after the organisation; the first steps, which had no such walk, name none
 */
export function searchIndexes(table: string, order?: string): string {
  const trigrams = `create index ${table}_search on ${table} using gin (organisation_id, search_text gin_trgm_ops);`;
  return order === undefined
    ? `${trigrams}
    create index ${table}_sample on ${table} (organisation_id, (substring(uuid_send(id) from 14))) where get_byte(uuid_send(id), 13) < 4;
  `
    : `${trigrams} ${walkIndexes(table, order)}`;
}

/** Those of `searchIndexes` that a search walks. */
export function walkIndexes(table: string, order: string): string {
  const [short, long] = ["octet_length(search_text) <= 1000", "octet_length(search_text) > 1000"];
  const sample = "organisation_id, (substring(uuid_send(id) from 14))";
  const sampled = "get_byte(uuid_send(id), 13) < 4";
  return `
    create index ${table}_walk on ${table} (organisation_id, ${order}) include (search_text) where ${short};
    create index ${table}_walk_long on ${table} (organisation_id, ${order}) where ${long};
    create index ${table}_look on ${table} (${sample}) include (id, search_text) where ${sampled} and ${short};
    create index ${table}_look_long on ${table} (${sample}) where ${sampled} and ${long};
  `;
}

/** A column that is searched: all of it, or its first characters. */
export type SearchedField = string | { column: string; first: number };

/** What `q` looks in of a row, folded: its fields, kept apart by a character that no caller can send. */
export function searchedText(row: string, fields: readonly SearchedField[]): string {
  const texts = fields.map((field) =>
    typeof field === "string" ? `${row}.${field}` : `left(${row}.${field.column}, ${field.first})`,
  );
  return `folded(concat_ws(E'\\x1f', ${texts.join(", ")}))`;
}

/**
 * Lets the column `search_text` of a table follow its fields, by whatever door a row is written: also where the triggers of a session are
 * off, as when many rows are filled in at once.
 */
export const keepsSearchText = (table: string, fields: readonly SearchedField[]): string => `
    create function ${table}_searched() returns trigger language plpgsql as $$
    begin
      new.search_text := ${searchedText("new", fields)};
      return new;
    end $$;
    create trigger searched before insert or update of ${fields.map((field) => (typeof field === "string" ? field : field.column)).join(", ")} on ${table} for each row execute function ${table}_searched();
    alter table ${table} enable always trigger searched;
  `;

/** A deletion that empties a reference moves the state of the row that had it, as migration 0064 has it for the tables before. A table has one such trigger for all of its references. */
export function movesWhenCut(table: string, ...columns: readonly string[]): string {
  const cuts = columns.map((column) => `old.${column} is not null and new.${column} is null`);
  const isCut = cuts.length === 1 ? cuts[0] : `(${cuts.map((cut) => `(${cut})`).join(" or ")})`;
  return `
  create trigger moved_by_deletion before update of ${columns.join(", ")} on ${table} for each row
    when (pg_trigger_depth() > 0 and new.version = old.version and ${isCut})
    execute function moved_by_deletion();`;
}

/** How the rows of a list are counted: see `keepsCount`. */
export interface CountedRows {
  /** SQL of the key that a row is counted under; default: one for all rows. */
  key?: (row: string) => string;
  /** Which rows count; default all. */
  where?: (row: string) => string;
  /** Columns whose change moves a row to another key, or in or out of the count. */
  moved?: readonly string[];
}

/**
 * Lets the counts of a list follow its table (core/database/lists/kept-counts.ts), by whatever door a row is written: one row of changes per
 * statement. A row whose key changes adds two; an update that moves none calls no function. An emptied table takes away what it counted.
 */
export function keepsCount(table: string, { key = () => "''", where, moved = [] }: CountedRows = {}): string {
  const counted = (sign: string) => `insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, '${table}', ${key("r")}, ${sign}count(*) from changed r${where ? ` where ${where("r")}` : ""} group by 1, 3`;
  const moves = (row: string, rows: string) => {
    const insert = `insert into public.count_changes (organisation_id, list, key, rows)
        values (${row}.organisation_id, '${table}', ${key(row)}, ${rows});`;
    return `
      ${where ? `if ${where(row)} then ${insert} end if;` : insert}`;
  };
  const row = (name: string) => `(${moved.map((column) => `${name}.${column}`).join(", ")})`;
  return `
    create function ${table}_counted() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${counted("")};
      else
        ${counted("-")};
      end if;
      return null;
    end $$;
    create trigger counted after insert on ${table} referencing new table as changed for each statement execute function ${table}_counted();
    create trigger uncounted after delete on ${table} referencing old table as changed for each statement execute function ${table}_counted();
    create trigger emptied after truncate on ${table} for each statement execute function count_emptied();
    alter table ${table} enable always trigger counted, enable always trigger uncounted, enable always trigger emptied;${
      moved.length === 0
        ? ""
        : `
    create function ${table}_recounted() returns trigger language plpgsql as $$
    begin
${moves("old", "-1")}${moves("new", "1")}
      return null;
    end $$;
    create trigger recounted after update on ${table} for each row when (${row("old")} is distinct from ${row("new")})
      execute function ${table}_recounted();
    alter table ${table} enable always trigger recounted;`
    }`;
}

/**
 * Counts the rows that a table had before `keepsCount`, in one statement and without a lock. The step of the triggers has to be committed: then
 * every change since is in the snapshot of this statement or adds its own row, so the difference between the two is exact.
 */
export function countsPresentRows(table: string, { key = () => "''", where = () => "true" }: CountedRows = {}): string {
  return `
    insert into count_changes (organisation_id, list, key, rows)
      select organisation_id, '${table}', key, sum(rows) from (
        select t.organisation_id, ${key("t")} as key, count(*) as rows from ${table} t where ${where("t")} group by 1, 2
        union all select organisation_id, key, -rows from kept_counts where list = '${table}'
        union all select organisation_id, key, -rows from count_changes where list = '${table}') counted
      group by organisation_id, key having sum(rows) <> 0`;
}
