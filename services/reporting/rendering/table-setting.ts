/** How closely a table is set: `crowded` breaks words where its columns would not fit otherwise. */
export const TABLE_SETTINGS = ["normal", "dense", "crowded"] as const;
export type TableSetting = (typeof TABLE_SETTINGS)[number];

/** Letters of the longest word that a column makes room for; a longer one breaks. */
const MOST_LETTERS = 22;
/** Millimetres of a letter in a cell and in a heading, and of the space between two columns. */
const LETTER = { cell: 1.75, heading: 1.5 };
const GAP = 3;
/** Millimetres that the columns of a setting may need: the text width on A4, and the same for smaller letters. */
const ROOM = { normal: 172, dense: 214 };

/** Where a long word, such as an address, may break: after these characters. */
const JOINT = /(?<=[/?&=_-])(?=[^/?&=_-])/u;

/** The letters of a text's longest piece that has no place to break. */
const longestPiece = (text: string): number =>
  Math.max(
    ...text
      .split(/\s+/u)
      .flatMap(piecesOf)
      .map(({ length }) => length),
  );

/** The pieces of a word, between which a line may break: the whole word unless it is too wide for a column. */
export const piecesOf = (word: string): string[] => (word.length > MOST_LETTERS ? word.split(JOINT) : [word]);

/** Whether a text has a word that is too wide for a column. */
export const isLong = (text: string): boolean => text.split(/\s+/u).some(({ length }) => length > MOST_LETTERS);

interface Cell {
  text: string;
  numeric: boolean;
}

/** Chooses the setting of a table by the least width of its columns: a number stays on one line, and a word breaks nowhere. */
export function settingOf(headings: readonly { label: string }[], rows: readonly (readonly Cell[])[]): TableSetting {
  const widths = headings.map(({ label }, at) => {
    const cells = rows.map((row) => {
      const { text = "", numeric = false } = row[at] ?? {};
      return numeric ? text.length : Math.min(MOST_LETTERS, longestPiece(text));
    });
    return Math.max(Math.min(MOST_LETTERS, longestPiece(label)) * LETTER.heading, Math.max(0, ...cells) * LETTER.cell);
  });
  const width = widths.reduce((sum, one) => sum + one + GAP, 0);
  return width <= ROOM.normal ? "normal" : width <= ROOM.dense ? "dense" : "crowded";
}
