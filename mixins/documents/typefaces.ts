/** The family of every document, with fallbacks for other alphabets. A PDF embeds it; a page uses it if the reader's machine has it. */
export const TYPEFACE = "Inter";
/** The family for the scripts that `TYPEFACE` lacks, in every weight: Chinese, Japanese, Korean and emoji. Only PDFs have it. */
export const IDEOGRAPHS = "Kantoor Ideographs";
/** The font stack of every document, as CSS. */
export const FONTS = `${TYPEFACE}, "${IDEOGRAPHS}", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif`;
