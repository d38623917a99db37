import type { Values } from "../database/write.ts";
import { breathing } from "../threads/breath.ts";
import { type DateOrders, dateOrders } from "./date-orders.ts";
import { FILED_UNDER, type ImpexEntity, type ImportRows, type Opened, type Refused } from "./entity.ts";
import { CUSTOM, type Field, readCell, wordsFor } from "./field.ts";
import { bareText, type Cell, cellText } from "./files/cell.ts";
import type { DateOrder } from "./files/dates.ts";
import type { Sheet } from "./files/sheet.ts";
import { type KnownColumns, withoutUnknown, withSplitWords } from "./known-words.ts";
import { headersOfRule, type Rule } from "./mapping.ts";
import { type LeftOut, type RowError, shorten } from "./report.ts";
import { RowContents } from "./row-identity.ts";
import { leftCells, rowValues } from "./values.ts";

/** The rows of a sheet as values by field, each parsed when it is requested. */
export class SheetRows {
  readonly fields: ReadonlyMap<string, Field>;
  readonly rules: readonly Rule[];
  readonly sheet: Sheet;
  readonly #headerOf: ReadonlyMap<string, string | null>;
  /** Detects duplicate rows and derives ids for rows without a key; only namesakes keep such an id. */
  readonly contents = new RowContents();
  /** Key columns: one non-blank value distinguishes a row from its namesakes. Undefined if rows need no distinction. */
  readonly #keys: readonly string[] | undefined;
  readonly #arrange: ImpexEntity["arrange"];
  #isNamesake: (index: number) => boolean = () => true;
  readonly #zone: string;
  #orders: DateOrders["of"] = new Map();
  #known: KnownColumns = {};
  #leavesOut = false;
  #companyId: string | undefined;

  /** @param zone the organisation's */
  constructor(
    { fields, rules, sheet }: { fields: readonly Field[]; rules: readonly Rule[]; sheet: Sheet },
    { identity, arrange }: ImpexEntity,
    zone: string,
  ) {
    this.fields = new Map(fields.map((field) => [field.key, field]));
    this.rules = rules;
    this.sheet = sheet;
    this.#keys = identity && ["id", ...identity.keys];
    this.#arrange = arrange;
    this.#zone = zone;
    this.#headerOf = new Map(rules.map((rule) => [rule.field, headersOfRule(rule)[0] ?? null]));
  }

  headerOf(field: string): string | null {
    return this.#headerOf.get(field) ?? null;
  }

  /** Decides the order of day and month in each column of dates, for all later reads. */
  async decideDates(asked: DateOrder | null): Promise<Omit<DateOrders, "of">> {
    const { sheet } = this;
    const valuesOf = (cells: readonly Cell[]) => rowValues(this.rules, sheet.headers, cells);
    const decided = await dateOrders(
      {
        headers: sheet.headers,
        headerOf: (field) => this.headerOf(field),
        async *read() {
          for await (const { cells } of sheet.rows) yield valuesOf(cells);
        },
        async *all() {
          for await (const { cells } of sheet.rows) yield cells;
        },
      },
      this.rules.flatMap(({ field }) => this.fields.get(field) ?? []),
      asked,
    );
    this.#orders = decided.of;
    return decided;
  }

  cellsAt(place: number): { row: number; cells: Record<string, Cell> } {
    const { row, cells } = this.sheet.rows.at(place);
    return { row, cells: rowValues(this.rules, this.sheet.headers, cells) };
  }

  /** Gives each word of a list its own part, in all later reads. */
  splitWords(known: KnownColumns): void {
    this.#known = known;
  }

  /** Leaves words that name nothing out of all later reads. */
  leaveOut(): void {
    this.#leavesOut = true;
  }

  /** Gives the rows that name no client this one under `FILED_UNDER`, in all later reads. */
  fileUnder(companyId: string): void {
    this.#companyId = companyId;
  }

  /** The values of all rows. */
  async *values(): AsyncGenerator<Values, void, undefined> {
    for await (const place of breathing(Array(this.sheet.rows.length).keys())) yield this.read(place).values;
  }

  /** The distinct words of a column of text. */
  async wordsIn(column: string): Promise<Set<string>> {
    const words = new Set<string>();
    for await (const { [column]: word } of this.values()) if (typeof word === "string") words.add(word.trim());
    return words;
  }

  read(place: number): ReadRow & { row: number } {
    const found = this.#readWords(place);
    const read = { ...found, values: withSplitWords(found.values, this.#known) };
    if (!this.#leavesOut || read.isSkipped) return read;
    const { values, left, isSkipped } = withoutUnknown(read.values, this.#known);
    const all = { ...read, values, left: [...read.left, ...left] };
    return isSkipped ? { ...all, refused: {}, isSkipped } : all;
  }

  /** A row with the words as they stand. */
  #readWords(place: number): ReadRow & { row: number } {
    const { row, cells } = this.cellsAt(place);
    const read = this.#filed(this.#readRow(cells));
    const arranged = this.#arrange?.(read.values);
    if (!arranged) return { row, ...read };
    const { values, left, skipped, kept } = arranged;
    // A skipped row reports no errors.
    if (skipped) return { row, ...read, values, refused: {}, left: [skipped], isSkipped: true };
    const leftover = kept ? read.left.filter(([, value]) => !kept.has(value)) : read.left;
    return { row, ...read, values, left: [...leftover, ...left] };
  }

  /** A row with the client of the rows that name none. */
  #filed(read: ReadRow): ReadRow {
    const { values, refused } = read;
    const isFiled = ["company", "company_name"].some((column) => column in values || column in refused);
    if (this.#companyId === undefined || isFiled) return read;
    return { ...read, values: { ...values, [FILED_UNDER]: this.#companyId } };
  }

  /** Parses the cells of a row. */
  #readRow(cells: Readonly<Record<string, Cell>>): ReadRow {
    const refused: Refused = {};
    const left: [string, string][] = [];
    const values: [string, unknown][] = [];
    const custom: [string, unknown][] = [];
    for (const [key, cell] of Object.entries(cells)) {
      const dates = { order: this.#orders.get(key) ?? "dmy", zone: this.#zone } as const;
      const field = this.fields.get(key) as Field;
      const read = readCell(field, cell, dates);
      if ("error" in read && this.#leavesOut && isUnknownWord(field, read.error)) left.push([key, bareText(cell)]);
      else if ("error" in read) refused[key] = read.error;
      else if (!isStorable(read.value)) refused[key] = "errors.validation";
      else if (read.value === undefined) continue;
      else if (key.startsWith(CUSTOM)) custom.push([key.slice(CUSTOM.length), read.value]);
      else values.push([key, read.value]);
      for (const value of ("left" in read && read.left) || []) left.push([key, value]);
    }
    // Entries, because a custom field may be called `constructor`.
    if (custom.length > 0) values.push(["custom", Object.fromEntries(custom)]);
    return { values: Object.fromEntries(values), refused, left };
  }

  /** The rows at these positions. */
  only(places: readonly number[]): ImportRows {
    let last = { index: -1, values: {} as Values };
    // The write of a row reads it several times in succession, so cache the last one.
    const at = (index: number) => {
      if (last.index !== index) last = { index, values: this.#identified(index, this.read(places[index] as number).values) };
      return last.values;
    };
    return {
      length: places.length,
      at,
      async *[Symbol.asyncIterator]() {
        for await (const index of breathing(places.keys())) yield at(index);
      },
    };
  }

  #isKeyless(values: Values): boolean {
    return this.#keys?.every((key) => values[key] === undefined) === true;
  }

  /** Adds the id derived from its content to a row without another key. */
  #identified(index: number, values: Values): Values {
    return this.#isKeyless(values) && this.#isNamesake(index) ? { ...values, id: this.contents.idAt(index) } : values;
  }

  /** Restricts derived ids to these rows, because all others have unique names. @returns those of them without a key */
  async onlyNamesakes(places: readonly number[], namesakes: readonly number[]): Promise<number[]> {
    const keyless: number[] = [];
    for await (const index of breathing(namesakes))
      if (this.#isKeyless(this.read(places[index] as number).values)) keyless.push(index);
    const kept = new Set(keyless);
    this.#isNamesake = (index) => kept.has(index);
    return keyless;
  }

  /** Values of a row that no field takes: parts of its cells, and other columns of the same kind; or the row as a whole. */
  leftAt(place: number, left: ReadRow["left"], isWhole: boolean): LeftOut[] {
    const { row, cells } = this.sheet.rows.at(place);
    const parts = left.map(([column, value]) => ({ row, column, header: this.headerOf(column), value: shorten(value) }));
    if (isWhole) return parts;
    return [
      ...parts,
      ...leftCells(this.rules, this.sheet.headers, cells).map((one) => ({ row, ...one, value: shorten(one.value) })),
    ];
  }

  /** The errors of a row, by cell. */
  errorsOf(place: number, refused: Refused, words: Opened["words"] = {}): RowError[] {
    const { row, cells } = this.cellsAt(place);
    return Object.entries(refused).map(([column, error]) => {
      const [cell, field] = [cells[column], this.fields.get(column)];
      const value = cell === undefined ? null : shorten(cellText(cell));
      return { row, column, header: this.headerOf(column), error, value, words: words[column] ?? (field ? wordsFor(field) : []) };
    });
  }
}

/** Whether an error says that a field's list of words lacks the one of the cell, and a record needs none. */
const isUnknownWord = ({ kind, required }: Field, error: string): boolean =>
  error === "impex.errors.invalid_option" && kind === "choice" && !required;

/** Whether PostgreSQL can store a text; one that it cannot would abort the whole transaction. */
const isStorable = (value: unknown): boolean =>
  [value].flat().every((part) => typeof part !== "string" || (part.isWellFormed() && !part.includes("\u0000")));

/** A row by field: custom values under `custom`, unreadable columns, and leftovers of the others. */
interface ReadRow {
  values: Values;
  refused: Refused;
  left: readonly (readonly [column: string, value: string])[];
  /** The row is about another kind of record. */
  isSkipped?: true;
}
