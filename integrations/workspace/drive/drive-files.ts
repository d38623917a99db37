import { storable } from "../../../core/values/stored-text.ts";
import type { GoogleFile } from "../../../mixins/google/apis.ts";
import { callGoogle, callGooglePlainly, type GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { requirePathId } from "../path-id.ts";
import { FOLDER_TYPE, uploadedAs } from "./drive-query.ts";

/** A file or folder at the provider, with the fields that this service reads. */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string | null;
  webViewLink: string | null;
  /** The shared drive that contains it; null in a person's own drive. */
  driveId: string | null;
}

/** A file in a listing. */
export interface ListedFile extends DriveFile {
  modifiedTime: string | null;
  /** Bytes; null for folders and files without a size. */
  size: number | null;
  /** The template item that this service copied it from; null otherwise. */
  copiedFrom: string | null;
}

export const isFolder = ({ mimeType }: Pick<DriveFile, "mimeType">): boolean => mimeType === FOLDER_TYPE;

/** A folder for a call: its id and its shared drive. */
export type Folder = Pick<DriveFile, "id" | "driveId">;

const FILE = "id,name,mimeType,webViewLink,driveId";
const LISTED = `${FILE},modifiedTime,size,appProperties`;
const PAGE = 100;
/** Our property on items copied from a template. Only this OAuth client sees it. */
const COPIED_FROM = "copied_from";
/** Our property on files uploaded through one of our sessions. */
const UPLOAD = "upload";
/** Without this parameter every item on a shared drive is "not found". */
const EVERYWHERE = { supportsAllDrives: true } as const;

function fileOf({ id, name, mimeType, webViewLink, driveId }: GoogleFile): DriveFile {
  if (!id) throw new GoogleFailure("unavailable", "a file without an id was answered", { status: 200 });
  return {
    id,
    name: storable(name ?? ""),
    mimeType: mimeType ?? null,
    webViewLink: webViewLink ?? null,
    driveId: driveId ?? null,
  };
}

const listedOf = (file: GoogleFile): ListedFile => ({
  ...fileOf(file),
  modifiedTime: file.modifiedTime ?? null,
  size: file.size == null ? null : Number(file.size),
  copiedFrom: file.appProperties?.[COPIED_FROM] ?? null,
});

/** The browser address of a file: the provider's link, else one that opens any id. */
export const addressOf = ({ id, webViewLink }: DriveFile): string =>
  webViewLink ?? `https://drive.google.com/open?id=${encodeURIComponent(id)}`;

/** Reads a file, which proves that the person can access it; a file in the bin counts as missing. @throws GoogleFailure */
export async function readFile(access: GoogleAccess, id: string, signal?: AbortSignal): Promise<DriveFile> {
  const ask = { fileId: requirePathId(id), fields: `${FILE},trashed`, ...EVERYWHERE };
  const file = await callGoogle(access, { api: "drive", operation: "files.get", ...(signal && { signal }) }, (client) =>
    client.files.get(ask),
  );
  if (file.trashed) throw new GoogleFailure("not_found", "the file is in the bin", { status: 404 });
  return fileOf(file);
}

/** Reads a file with its parents; for a new file that may not be listed yet. @throws GoogleFailure */
export async function readPlaceOf(
  access: GoogleAccess,
  id: string,
  signal?: AbortSignal,
): Promise<DriveFile & { parents: string[] }> {
  const file = await callGoogle(access, { api: "drive", operation: "files.get", ...(signal && { signal }) }, (client) =>
    client.files.get({ fileId: requirePathId(id), fields: `${FILE},trashed,parents`, ...EVERYWHERE }),
  );
  if (file.trashed) throw new GoogleFailure("not_found", "the file is in the bin", { status: 404 });
  return { ...fileOf(file), parents: file.parents ?? [] };
}

/** One page of a listing. */
export interface ListedPage {
  files: ListedFile[];
  /** The token of the next page; null on the last one. */
  next: string | null;
  /** Whether the provider did not search everywhere. */
  isIncomplete: boolean;
}

interface Listing {
  /** The search query (drive-query.ts). */
  q: string;
  orderBy: string;
  pageToken?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** One page, at most 100 files, of the search results in a folder. @throws GoogleFailure */
export async function listPage(access: GoogleAccess, { driveId }: Folder, asked: Listing): Promise<ListedPage> {
  const { q, orderBy, pageToken, signal } = asked;
  const parameters = {
    ...{ q, orderBy, pageSize: PAGE, fields: `nextPageToken,incompleteSearch,files(${LISTED})` },
    ...EVERYWHERE,
    includeItemsFromAllDrives: true,
    ...(driveId !== null && { corpora: "drive", driveId }),
    ...(pageToken !== undefined && { pageToken }),
  };
  const page = await callGoogle(access, { api: "drive", operation: "files.list", ...(signal && { signal }) }, (client) =>
    client.files.list(parameters),
  );
  const { files = [], nextPageToken, incompleteSearch } = page;
  return { files: files.map(listedOf), next: nextPageToken || null, isIncomplete: incompleteSearch === true };
}

/**
 * All search results in a folder.
 * @throws GoogleFailure also if the provider's search was incomplete, so that a part is never taken for the whole
 */
export async function listAll(access: GoogleAccess, folder: Folder, asked: Omit<Listing, "pageToken">): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  for (let pageToken: string | undefined; ; ) {
    const { files, next, isIncomplete } = await listPage(access, folder, { ...asked, pageToken });
    if (isIncomplete) throw new GoogleFailure("unavailable", "the provider did not search everywhere", { status: 200 });
    found.push(...files);
    if (next === null) return found;
    pageToken = next;
  }
}

interface Making {
  name: string;
  parent: Folder;
  /** The template item that it is copied from. */
  copiedFrom?: string | undefined;
  signal?: AbortSignal | undefined;
}

const marked = (copiedFrom: string | undefined) =>
  copiedFrom === undefined ? {} : { appProperties: { [COPIED_FROM]: copiedFrom } };

/** Creates a folder. The call is never retried. @throws GoogleFailure */
export async function createFolder(access: GoogleAccess, { name, parent, copiedFrom, signal }: Making): Promise<DriveFile> {
  const requestBody = { name, mimeType: FOLDER_TYPE, parents: [parent.id], ...marked(copiedFrom) };
  const made = await callGoogle(access, { api: "drive", operation: "files.create", ...(signal && { signal }) }, (client) =>
    client.files.create({ requestBody, fields: FILE, ...EVERYWHERE }),
  );
  return fileOf(made);
}

/** Copies a file into a folder. The call is never retried. @throws GoogleFailure */
export async function copyFile(access: GoogleAccess, { name, parent, copiedFrom = "", signal }: Making): Promise<DriveFile> {
  const requestBody = { name, parents: [parent.id], ...marked(copiedFrom) };
  const made = await callGoogle(access, { api: "drive", operation: "files.copy", ...(signal && { signal }) }, (client) =>
    client.files.copy({ fileId: requirePathId(copiedFrom), requestBody, fields: FILE, ...EVERYWHERE }),
  );
  return fileOf(made);
}

/** A file for a browser to upload. */
export interface Upload {
  folderId: string;
  name: string;
  /** Media type of the file; null for any. */
  mimeType: string | null;
  /** The origin from which the browser sends the file. */
  origin: string | null;
  /** Our id for finding the file once it is uploaded; null if nothing looks for it. */
  uploadId: string | null;
}

/**
 * Opens an upload session. Its address is a secret for a week, because anyone who has it can write the file.
 * @returns the address; null if the provider returned none
 * @throws GoogleFailure
 */
export async function openUpload(
  access: GoogleAccess,
  { folderId, name, mimeType, origin, uploadId }: Upload,
): Promise<string | null> {
  const { headers } = await callGooglePlainly(access, {
    api: "upload",
    operation: "files.upload",
    method: "POST",
    path: "/files",
    query: { uploadType: "resumable", supportsAllDrives: "true", fields: "id" },
    headers: {
      "X-Upload-Content-Type": mimeType ?? "application/octet-stream",
      ...(origin !== null && { Origin: origin }),
    },
    json: {
      name,
      parents: [folderId],
      ...(mimeType !== null && { mimeType }),
      ...(uploadId !== null && { appProperties: { [UPLOAD]: uploadId } }),
    },
  });
  return headers["location"] || null;
}

/** The file of an upload session; undefined until it is uploaded and listed. @throws GoogleFailure */
export async function findUploaded(access: GoogleAccess, uploadId: string, signal: AbortSignal): Promise<DriveFile | undefined> {
  const everywhere = { id: "", driveId: null };
  const { files } = await listPage(access, everywhere, { q: uploadedAs(UPLOAD, uploadId), orderBy: "createdTime", signal });
  return files[0];
}
