/** The type of folders (workspace §2.4). */
export const FOLDER_TYPE = "application/vnd.google-apps.folder";

/** A text inside of a search query of the provider: backslashes and quotes are escaped. */
export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

const childrenOf = (folderId: string): string => `${quoted(folderId)} in parents and trashed=false`;

/** The search query for what a folder holds. @param term what names begin a word with; null for everything */
export const browsing = (folderId: string, term: string | null = null): string =>
  `${childrenOf(folderId)}${term === null ? "" : ` and name contains ${quoted(term)}`}`;

/** The search query for the folders of one name in a folder. The provider ignores case: who asks compares again. */
export const foldersNamed = (folderId: string, name: string): string =>
  `${childrenOf(folderId)} and mimeType=${quoted(FOLDER_TYPE)} and name=${quoted(name)}`;

/** The search query for the file of an upload, wherever its person has moved it since. */
export const uploadedAs = (mark: string, uploadId: string): string =>
  `appProperties has { key=${quoted(mark)} and value=${quoted(uploadId)} } and trashed=false`;
