/** The media type of folders (workspace §2.4). */
export const FOLDER_TYPE = "application/vnd.google-apps.folder";

/** Quotes text for a search query of the provider; escapes backslashes and quotes. */
export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

const childrenOf = (folderId: string): string => `${quoted(folderId)} in parents and trashed=false`;

/** The search query for the content of a folder. @param term a prefix of a word in the name; null for everything */
export const browsing = (folderId: string, term: string | null = null): string =>
  `${childrenOf(folderId)}${term === null ? "" : ` and name contains ${quoted(term)}`}`;

/** The search query for folders of one name in a folder. The provider ignores case, so the caller must compare again. */
export const foldersNamed = (folderId: string, name: string): string =>
  `${childrenOf(folderId)} and mimeType=${quoted(FOLDER_TYPE)} and name=${quoted(name)}`;

/** The search query for an uploaded file, wherever it was moved since. */
export const uploadedAs = (mark: string, uploadId: string): string =>
  `appProperties has { key=${quoted(mark)} and value=${quoted(uploadId)} } and trashed=false`;
