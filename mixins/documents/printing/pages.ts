/** The number of pages in a PDF from the browser, which leaves page dictionaries uncompressed. */
export const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length ?? 0;
