import { answer, integer, nullable, Type, uuid } from "../../core/schema/schema.ts";

const text = (description: string) => Type.String({ description });
const count = (description: string) => integer(0, undefined, { description });
const row = () => integer(1, undefined, { description: "The row of the file, from 1; the row of headers counts" });
const header = () => nullable(text("The column of the file with the field; null if none"));

const ImportError = () =>
  answer("ImportError", {
    row: row(),
    column: text("The field; `_` for the row as a whole"),
    header: header(),
    error: text("Why it is refused, as a translation key"),
    value: nullable(text("The cell's value, its first 100 characters; null if no cell has the field")),
    words: Type.Array(Type.String(), {
      description: "Accepted words, or examples; empty if any text is accepted",
    }),
  });

const ImportLeftOut = () =>
  answer("ImportLeftOut", {
    row: row(),
    column: text("The field that already has a value from elsewhere"),
    header: header(),
    value: text("The skipped value, its first 100 characters"),
  });

const ImportNamesake = () =>
  answer("ImportNamesake", {
    row: row(),
    column: text("The field that names the record"),
    value: text("The name, which other records or rows carry as well"),
  });

const ImportTakenAs = () =>
  answer("ImportTakenAs", {
    column: text("The header of the column"),
    as: text("The field that it is read as; `dmy` or `mdy` for the order of day and month in its dates"),
  });

const ImportAmbiguous = () =>
  answer("ImportAmbiguous", {
    column: text("The header of the column"),
    example: text("One of its dates"),
    as: text("The date that the example was read as, with the day first"),
  });

const listed = {
  errors: () => Type.Array(ImportError(), { description: "Errors of the rows, by row" }),
  left_out: () =>
    Type.Array(ImportLeftOut(), {
      description:
        "Values of the file that no record has a field for: a second telephone number, a second address, a row about another kind of record",
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
    created: count("Records created, or to be created"),
    updated: count("Records changed, or to be changed"),
    unchanged: count("Rows that match their record already, and rows that repeat another"),
    also_created: count(
      "Records of another kind that were made for the rows: companies of contacts, contact persons of companies",
    ),
    errors: listed.errors(),
    left_out: listed.left_out(),
    namesakes: listed.namesakes(),
    ignored_columns: Type.Array(Type.String(), { description: "Headers of columns that no field reads" }),
    taken_as: Type.Array(ImportTakenAs(), {
      description:
        "Columns read under a guess: by the columns next to them, and dates whose order of day and month follows from the rest of the file",
    }),
    ambiguous: Type.Array(ImportAmbiguous(), {
      description:
        "Columns of dates such as 03/04/2026 of which nothing in the file decides which part is the day. A dry run reads them day first; a real import needs `date_order`",
    }),
    sheet: nullable(text("The sheet of the workbook that was read; null for CSV")),
    header_row: integer(1, undefined, { description: "The row that names the columns" }),
  });

/** The answer to an import that a job continues. */
export const ImportStarted = () =>
  answer("ImportStarted", {
    job_id: Type.Unsafe<string>({ ...uuid(), description: "The job that imports the file: see `GET /impex/jobs/{job_id}`" }),
  });
