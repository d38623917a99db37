import type { GoogleFile } from "../../../mixins/google/apis.ts";
import { callGoogle, callGooglePlainly, type GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { FOLDER_TYPE, uploadedAs } from "./drive-query.ts";

/** A file or folder of the provider, as far as this service reads it. */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string | null;
  webViewLink: string | null;
  /** The shared drive it is in; null in a person's own. */
  driveId: string | null;
}

/** One in a listing. */
export interface ListedFile extends DriveFile {
  modifiedTime: string | null;
  /** Bytes; null for folders and what has no size. */
  size: number | null;
  /** The template's item that it was copied from by us; null for everything else. */
  copiedFrom: string | null;
}

export const isFolder = ({ mimeType }: Pick<DriveFile, "mimeType">): boolean => mimeType === FOLDER_TYPE;

/** The folder that a call is about: its id, and the shared drive that it is in. */
export type Folder = Pick<DriveFile, "id" | "driveId">;

const FILE = "id,name,mimeType,webViewLink,driveId";
const LISTED = `${FILE},modifiedTime,size,appProperties`;
const PAGE = 100;
/** Our mark on what is copied from a template. Only this OAuth client sees it. */
const COPIED_FROM = "copied_from";
/** Our mark on what is uploaded through a session of ours. */
const UPLOAD = "upload";
/** The parameter without which everything on a shared drive is "not found". */
const EVERYWHERE = { supportsAllDrives: true } as const;

function fileOf({ id, name, mimeType, webViewLink, driveId }: GoogleFile): DriveFile {
  if (!id) throw new GoogleFailure("unavailable", "a file without an id was answered", { status: 200 });
  return { id, name: name ?? "", mimeType: mimeType ?? null, webViewLink: webViewLink ?? null, driveId: driveId ?? null };
}

const listedOf = (file: GoogleFile): ListedFile => ({
  ...fileOf(file),
  modifiedTime: file.modifiedTime ?? null,
  size: file.size == null ? null : Number(file.size),
  copiedFrom: file.appProperties?.[COPIED_FROM] ?? null,
});

/** The address of a file in a browser: as the provider names it, else the one that opens any id. */
export const addressOf = ({ id, webViewLink }: DriveFile): string =>
  webViewLink ?? `https://drive.google.com/open?id=${encodeURIComponent(id)}`;

/** @throws GoogleFailure for what would name another path than a file's */
function requireId(id: string): string {
  if (/^\.*$/.test(id)) throw new GoogleFailure("not_found", "an id of dots is no file's", { status: 404 });
  return id;
}

/** Reads a file, which proves that the person has access to it; one in the bin is not there. @throws GoogleFailure */
export async function readFile(access: GoogleAccess, id: string, signal?: AbortSignal): Promise<DriveFile> {
  const ask = { fileId: requireId(id), fields: `${FILE},trashed`, ...EVERYWHERE };
  const file = await callGoogle(access, { api: "drive", operation: "files.get", ...(signal && { signal }) }, (client) =>
    client.files.get(ask),
  );
  if (file.trashed) throw new GoogleFailure("not_found", "the file is in the bin", { status: 404 });
  return fileOf(file);
}

/** The parents and the name of a file, for one that was made a moment ago and may not be listed yet. @throws GoogleFailure */
export async function readPlaceOf(
  access: GoogleAccess,
  id: string,
  signal?: AbortSignal,
): Promise<DriveFile & { parents: string[] }> {
  const file = await callGoogle(access, { api: "drive", operation: "files.get", ...(signal && { signal }) }, (client) =>
    client.files.get({ fileId: requireId(id), fields: `${FILE},trashed,parents`, ...EVERYWHERE }),
  );
  if (file.trashed) throw new GoogleFailure("not_found", "the file is in the bin", { status: 404 });
  return { ...fileOf(file), parents: file.parents ?? [] };
}

/** What one page of a listing gave. */
export interface ListedPage {
  files: ListedFile[];
  /** The token of the next page; null on the last one. */
  next: string | null;
  /** The provider has not looked everywhere. */
  isIncomplete: boolean;
}

interface Listing {
  /** The search query (drive-query.ts). */
  q: string;
  orderBy: string;
  pageToken?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** One page, at most 100, of what a query finds in a folder. @throws GoogleFailure */
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
 * Everything that a query finds in a folder.
 * @throws GoogleFailure also for a search that the provider did not finish: a part of a list must not be taken for the whole
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
  /** The template's item that it stands for. */
  copiedFrom?: string | undefined;
  signal?: AbortSignal | undefined;
}

const marked = (copiedFrom: string | undefined) =>
  copiedFrom === undefined ? {} : { appProperties: { [COPIED_FROM]: copiedFrom } };

/** Creates a folder. The call is never repeated. @throws GoogleFailure */
export async function createFolder(access: GoogleAccess, { name, parent, copiedFrom, signal }: Making): Promise<DriveFile> {
  const requestBody = { name, mimeType: FOLDER_TYPE, parents: [parent.id], ...marked(copiedFrom) };
  const made = await callGoogle(access, { api: "drive", operation: "files.create", ...(signal && { signal }) }, (client) =>
    client.files.create({ requestBody, fields: FILE, ...EVERYWHERE }),
  );
  return fileOf(made);
}

/** Copies a file into a folder under its own name. The call is never repeated. @throws GoogleFailure */
export async function copyFile(access: GoogleAccess, { name, parent, copiedFrom = "", signal }: Making): Promise<DriveFile> {
  const requestBody = { name, parents: [parent.id], ...marked(copiedFrom) };
  const made = await callGoogle(access, { api: "drive", operation: "files.copy", ...(signal && { signal }) }, (client) =>
    client.files.copy({ fileId: requireId(copiedFrom), requestBody, fields: FILE, ...EVERYWHERE }),
  );
  return fileOf(made);
}

/** A file that a browser is about to upload. */
export interface Upload {
  folderId: string;
  name: string;
  /** Media type of its bytes; null for any. */
  mimeType: string | null;
  /** The origin that the browser will send the bytes from. */
  origin: string | null;
  /** An id of ours by which the file is found once its bytes are there; null where nobody looks for it. */
  uploadId: string | null;
}

/**
 * Opens an upload session. Its address is a secret for a week: whoever has it writes the file.
 * @returns the address; null where the provider named none
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

/** The file of an upload session; undefined while its bytes are not there, or the provider does not list it yet. @throws GoogleFailure */
export async function findUploaded(access: GoogleAccess, uploadId: string, signal: AbortSignal): Promise<DriveFile | undefined> {
  const everywhere = { id: "", driveId: null };
  const { files } = await listPage(access, everywhere, { q: uploadedAs(UPLOAD, uploadId), orderBy: "createdTime", signal });
  return files[0];
}
