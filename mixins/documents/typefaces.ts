/** The family every document is set in, with its fallbacks for other alphabets; a PDF holds it, a page has it where the reader's machine does. */
export const TYPEFACE = "Inter";
/** The family of what `TYPEFACE` lacks, in every weight: Chinese, Japanese, Korean and emoji. Only a PDF has it. */
export const IDEOGRAPHS = "Kantoor Ideographs";
/** The font stack of every document, as CSS. */
export const FONTS = `${TYPEFACE}, "${IDEOGRAPHS}", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif`;
