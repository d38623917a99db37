import { answer, integer, nullable, Type, uuid } from "../core/declare/schema.ts";

const text = (description: string) => Type.String({ description });
const count = (description: string) => integer(0, undefined, { description });
const row = () => integer(1, undefined, { description: "The row of the file, from 1; the row of headers counts" });
const header = () => nullable(text("The column of the file that it was read from; null where none gives the field"));

const ImportError = () =>
  answer("ImportError", {
    row: row(),
    column: text("The field; `_` for the row as a whole"),
    header: header(),
    error: text("Why it is refused, as a translation key"),
    value: nullable(text("What stands there, its first 100 characters; null where no cell gives the field")),
    words: Type.Array(Type.String(), {
      description: "Words that would have been understood, or examples; empty where any text may stand",
    }),
  });

const ImportLeftOut = () =>
  answer("ImportLeftOut", {
    row: row(),
    column: text("The field whose value was taken from elsewhere, so that there was no room for this one"),
    header: header(),
    value: text("What was left out, its first 100 characters"),
  });

const ImportNamesake = () =>
  answer("ImportNamesake", {
    row: row(),
    column: text("The field that names the record"),
    value: text("The name, which other records or rows carry as well"),
  });

const listed = {
  errors: () => Type.Array(ImportError(), { description: "What is wrong with the rows, by row" }),
  left_out: () =>
    Type.Array(ImportLeftOut(), {
      description:
        "What the file holds and no record has room for: a second telephone number, a second address, a row about another kind of record",
    }),
  namesakes: () =>
    Type.Array(ImportNamesake(), {
      description: "Rows without a key that became records of their own although others carry their name",
    }),
};

/** The result of an import or of its dry run. */
export const ImportAnswer = () =>
  answer("ImportResult", {
    rows: count("Rows of the file below the headers that hold anything"),
    created: count("Records that were made, or would be"),
    updated: count("Records that were changed, or would be"),
    unchanged: count("Rows whose record says the same already, and rows that repeat another"),
    also_created: count(
      "Records of another kind that were made for the rows: companies of contacts, contact persons of companies",
    ),
    errors: listed.errors(),
    left_out: listed.left_out(),
    namesakes: listed.namesakes(),
    ignored_columns: Type.Array(Type.String(), { description: "Headers of columns that no field reads" }),
    sheet: nullable(text("The sheet of the workbook that was read; null for CSV")),
    header_row: integer(1, undefined, { description: "The row that names the columns" }),
  });

/** The answer to an import that a job continues. */
export const ImportStarted = () =>
  answer("ImportStarted", {
    job_id: Type.Unsafe<string>({ ...uuid(), description: "The job that imports the file: see `GET /impex/jobs/{job_id}`" }),
  });
