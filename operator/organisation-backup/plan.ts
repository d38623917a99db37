import type pg from "pg";
import { appliedSteps } from "../backup/catalogue.ts";
import { OperatorError, requireLine, requireSlug } from "../organisations.ts";
import { type ArchiveHead, ArchiveReader } from "./archive.ts";
import { includedTables, type OrganisationTable } from "./catalogue.ts";
import { type Renaming, renamed, renaming } from "./ids.ts";
import { columnsOf, OF_PEOPLE } from "./snapshot.ts";

/** A backup on the local disk. */
export interface LocalArchive {
  file: string;
  key: string;
}

/** What a restored organisation is called. */
export interface Target {
  slug: string;
  name: string | null;
  /** Decides the ids, if the organisation gets others. */
  seed: string;
}

/** What a backup contains, as read before anything is written. */
interface Survey {
  head: ArchiveHead;
  /** Ids of the organisation and its rows. */
  own: Set<string>;
  people: { id: string; email: string }[];
  tables: number;
  files: number;
}

/** How a restore writes: under which id, and which ids it changes. */
export interface Plan extends Survey {
  organisationId: string;
  /** The organisation gets ids of its own, because the original is still there. */
  isCopy: boolean;
  rename: Renaming;
}

const valuesAt = (line: string, positions: readonly number[]): string[] => {
  const cells = line.split("\t");
  return positions.map((at) => cells[at] as string);
};

/**
 * Reads a whole backup before anything is written: it is intact, and fits the schema.
 * @throws OperatorError if it does not
 */
async function survey(client: pg.ClientBase, archive: LocalArchive): Promise<Survey> {
  const tables = new Map((await includedTables(client)).map((table) => [table.name, table]));
  const applied = await appliedSteps(client);
  const reader = new ArchiveReader(archive.file, archive.key);
  try {
    const head = await reader.head();
    requireSameSteps(head, applied);
    const found: Survey = { head, own: new Set([head.organisation.id]), people: [], tables: 0, files: 0 };
    for (let section = await reader.next(); section; section = await reader.next()) {
      if ("file" in section) {
        found.files += 1;
        for await (const _ of reader.bytes(section.bytes));
        continue;
      }
      const { table: name, columns } = section;
      const isOfPeople = OF_PEOPLE.some((one) => one.name === name);
      const known = isOfPeople ? await columnsOf(client, name) : tables.get(name)?.columns;
      if (known?.join() !== columns.join())
        throw new OperatorError(`The backup has the table ${name} in another form; restore it with version ${head.version}.`);
      found.tables += 1;
      const wanted = name === "accounts" ? ["id", "email"] : isOfPeople ? [] : (tables.get(name) as OrganisationTable).ids;
      const positions = wanted.map((column) => columns.indexOf(column));
      for await (const part of reader.rows()) {
        if (positions.length === 0) continue;
        for (const line of part.toString("utf8", 0, part.length - 1).split("\n")) {
          const values = valuesAt(line, positions);
          if (name === "accounts") found.people.push({ id: values[0] as string, email: values[1] as string });
          else for (const id of values) found.own.add(id);
        }
      }
    }
    for (const { id } of found.people) found.own.delete(id);
    return found;
  } finally {
    await reader.close();
  }
}

function requireSameSteps({ migrations, version }: ArchiveHead, applied: readonly string[]): void {
  const other = migrations.find((step) => !applied.includes(step)) ?? applied.find((step) => !migrations.includes(step));
  if (other !== undefined)
    throw new OperatorError(
      `The backup is of version ${version}, and its schema differs from this one by ${other}; restore it with its own version.`,
    );
}

/**
 * Decides how a backup is restored: with its own ids if the organisation is gone, and else with new ones.
 * @throws OperatorError if the backup is damaged or of another schema, or the slug is in use
 */
export async function planRestore(client: pg.ClientBase, archive: LocalArchive, { slug, name, seed }: Target): Promise<Plan> {
  requireSlug(slug);
  requireLine(name);
  const found = await survey(client, archive);
  const { id } = found.head.organisation;
  const { rows } = await client.query<{ taken: boolean; original: boolean }>(
    "select exists (select from organisations where slug = $1) as taken, exists (select from organisations where id = $2) as original",
    [slug, id],
  );
  const { taken, original: isCopy } = rows[0] as { taken: boolean; original: boolean };
  if (taken) throw new OperatorError(`The slug '${slug}' is already in use.`);
  const { rows: others } = await client.query<{ was: string; is: string }>(
    `select p.id as was, a.id as is from unnest($1::uuid[], $2::text[]) p(id, email) join accounts a on a.email = p.email and a.id <> p.id
      where not exists (select from accounts b where b.id = p.id)`,
    [found.people.map((one) => one.id), found.people.map(({ email }) => email)],
  );
  const people = new Map(others.map(({ was, is }) => [was, is]));
  return {
    ...found,
    isCopy,
    organisationId: isCopy ? renamed(id, seed) : id,
    rename: renaming(isCopy ? found.own : new Set(), seed, people),
  };
}
