/**
 * How a column that names a record follows when that record is merged into another (core/references). Columns with a foreign key and
 * without a unique key need no declaration: their rows move.
 */
export interface ReferenceDeclaration {
  /** The kind of record it names, for a column without a foreign key; `any` for one that names records of every kind. */
  to?: string;
  /** The column that has the kind of record, for a column that names records of several kinds. */
  kind?: string;
  /** The column has several ids, or JSON with ids in it; by default it has one id. */
  holds?: "list" | "json";
  /**
   * A unique key allows one row per record and values of these columns. If both records have such a row, that of the kept record stays and
   * the other is deleted.
   */
  oneBy?: readonly string[];
  /** A flag that one row per record has at most: the kept record's row keeps it. */
  flag?: string;
  /** Both records may have rows with equal values of `by`: those that move get the next numbers in `column`. */
  renumbered?: { column: string; by: readonly string[] };
  /** Why the rows stay as they are, or what moves them instead. */
  left?: string;
}

/** Declarations by table and column: `task_comments.mentioned_contact_ids`. */
export type ReferenceDeclarations = Readonly<Record<string, ReferenceDeclaration>>;
