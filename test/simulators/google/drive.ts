import { randomBytes } from "node:crypto";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { Reply } from "../simulator.ts";
import { BadQuery, readQuery } from "./drive-query.ts";
import { DriveState, FOLDER, type SimulatedFile } from "./drive-state.ts";
import type { GoogleRequest, GoogleSimulator } from "./google.ts";
import { apiError } from "./replies.ts";

const notFound = (id: string): Reply => apiError(404, "notFound", { message: `File not found: ${id}.` });
const forbidden = (reason = "insufficientFilePermissions"): Reply => apiError(403, reason);
const bad = (message: string): Reply => apiError(400, "invalid", { message });
const isOn = (request: GoogleRequest, name: string): boolean => request.query.get(name) === "true";

/** The outermost names of `a,b(c,d)`, each with the content of its brackets. */
function masks(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", inner = ""] of text.matchAll(/([A-Za-z]+)(?:\(([^()]*)\))?/g)) found.set(name, inner);
  return found;
}

/** A file as Google returns it: the requested fields, without those it lacks. */
function shown(file: SimulatedFile, fields = "kind,id,name,mimeType"): object {
  const all: Record<string, unknown> = {
    kind: "drive#file",
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    parents: file.parents,
    trashed: file.trashed,
    createdTime: file.createdTime,
    modifiedTime: file.modifiedTime,
    webViewLink: `https://drive.google.com/${file.mimeType === FOLDER ? "drive/folders" : "file/d"}/${file.id}`,
    ...(file.driveId !== null && { driveId: file.driveId }),
    ...(file.size !== null && { size: file.size }),
    ...(Object.keys(file.appProperties).length > 0 && { appProperties: file.appProperties }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => masks(fields).has(name)));
}

/** A list's sort keys, by name. */
const KEYS: Record<string, (file: SimulatedFile) => string> = {
  folder: ({ mimeType }) => (mimeType === FOLDER ? "0" : "1"),
  name: ({ name }) => name.toLowerCase(),
  createdTime: ({ createdTime }) => createdTime,
};

function inOrder(files: SimulatedFile[], orderBy: string): SimulatedFile[] {
  const keys = orderBy.split(",").map((key) => KEYS[key] ?? (() => ""));
  return files.toSorted((a, b) => {
    for (const key of keys) if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1;
    return 0;
  });
}

interface Written {
  name?: string;
  mimeType?: string;
  parents?: string[];
  appProperties?: Record<string, string>;
}

/**
 * Google Drive, as far as this service calls it. A file that is out of reach is "not found", as is one on a shared drive without the flag.
 */
class DrivePart {
  readonly scopes = [SCOPE.drive];
  readonly #state: DriveState;
  readonly #origin: () => string;

  constructor(state: DriveState, origin: () => string) {
    this.#state = state;
    this.#origin = origin;
  }

  answer(request: GoogleRequest): Reply | null {
    const { method, parts, path } = request;
    const [files, id, what] = parts;
    if (files !== "files") return null;
    if (path.startsWith("/upload/")) return method === "POST" && id === undefined ? this.#opened(request) : null;
    if (method === "GET" && id === undefined) return this.#list(request);
    if (method === "GET" && what === undefined) return this.#get(request, id as string);
    if (method === "POST" && id === undefined) return this.#create(request);
    if (method === "POST" && what === "copy") return this.#copy(request, id as string);
    return null;
  }

  #seen(request: GoogleRequest, id: string): SimulatedFile | undefined {
    const file = this.#state.files.get(id);
    if (!file || !this.#state.mayRead(file, request.person)) return undefined;
    return file.driveId !== null && !isOn(request, "supportsAllDrives") ? undefined : file;
  }

  #get(request: GoogleRequest, id: string): Reply {
    const file = this.#seen(request, id);
    if (!file) return notFound(id);
    return { status: 200, body: shown(file, request.query.get("fields") ?? undefined) };
  }

  #list(request: GoogleRequest): Reply {
    const { query, person } = request;
    const corpora = query.get("corpora") ?? "user";
    const driveId = query.get("driveId");
    if ((corpora === "drive") !== (driveId !== null)) return bad("driveId belongs to corpora=drive and to no other");
    const isEverywhere = isOn(request, "includeItemsFromAllDrives");
    if (isEverywhere && !isOn(request, "supportsAllDrives")) return bad("includeItemsFromAllDrives needs supportsAllDrives");
    if (corpora === "drive" && !isEverywhere) return bad("corpora=drive needs includeItemsFromAllDrives");
    if (driveId !== null && !this.#seen(request, driveId)) return notFound(driveId);
    let matches: ReturnType<typeof readQuery>;
    try {
      matches = readQuery(query.get("q") ?? "");
    } catch (error) {
      if (error instanceof BadQuery) return bad(error.message);
      throw error;
    }
    const found = [...this.#state.files.values()].filter(
      (file) =>
        this.#state.isListed(file) &&
        this.#state.mayRead(file, person) &&
        (corpora === "drive" ? file.driveId === driveId : isEverywhere || file.driveId === null) &&
        matches(file),
    );
    const from = Number(query.get("pageToken")?.replace("page-", "") ?? 0);
    const size = Number(query.get("pageSize") ?? 100);
    const page = inOrder(found, query.get("orderBy") ?? "name").slice(from, from + size);
    const asked = masks(query.get("fields") ?? "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)");
    const body = {
      kind: "drive#fileList",
      incompleteSearch: this.#state.searchesPartly,
      ...(from + size < found.length && { nextPageToken: `page-${from + size}` }),
      files: page.map((file) => shown(file, asked.get("files"))),
    };
    return { status: 200, body: Object.fromEntries(Object.entries(body).filter(([name]) => asked.has(name))) };
  }

  /** The parent folder of a new file, or the refusal. */
  #place(request: GoogleRequest): { parent: SimulatedFile } | { refused: Reply } {
    const { parents = [] } = request.json as Written;
    const [id = "root", ...others] = parents;
    if (others.length > 0) return { refused: bad("A file has one parent") };
    const parent = this.#seen(request, id);
    if (!parent) return { refused: notFound(id) };
    if (parent.mimeType !== FOLDER) return { refused: forbidden("parentNotAFolder") };
    return parent.isWritable ? { parent } : { refused: forbidden() };
  }

  #create(request: GoogleRequest): Reply {
    const place = this.#place(request);
    if ("refused" in place) return place.refused;
    const { name = "Untitled", mimeType = "application/octet-stream", appProperties = {} } = request.json as Written;
    const file = this.#state.file(name, { parent: place.parent, mimeType, appProperties });
    return { status: 200, body: shown(file, request.query.get("fields") ?? undefined) };
  }

  #copy(request: GoogleRequest, id: string): Reply {
    const source = this.#seen(request, id);
    if (!source) return notFound(id);
    if (source.mimeType === FOLDER || !source.isCopyable) return forbidden("cannotCopyFile");
    const place = this.#place(request);
    if ("refused" in place) return place.refused;
    const { name = `Copy of ${source.name}`, appProperties = {} } = request.json as Written;
    const { mimeType, size } = source;
    const file = this.#state.file(name, { parent: place.parent, mimeType, size, appProperties });
    return { status: 200, body: shown(file, request.query.get("fields") ?? undefined) };
  }

  #opened(request: GoogleRequest): Reply {
    if (request.query.get("uploadType") !== "resumable") return bad("only resumable uploads are simulated");
    const type = request.headers["x-upload-content-type"];
    if (typeof type !== "string") return bad("X-Upload-Content-Type is missing");
    const place = this.#place(request);
    if ("refused" in place) return place.refused;
    const { name = "Untitled", appProperties = {} } = request.json as Written;
    const address = `${this.#origin()}/upload/drive/v3/files?uploadType=resumable&upload_id=${randomBytes(32).toString("base64url")}`;
    this.#state.uploads.push({
      address,
      name,
      parentId: place.parent.id,
      mimeType: type,
      appProperties,
      origin: request.headers.origin ?? null,
    });
    return { status: 200, headers: { Location: address } };
  }
}

/** Adds Google Drive to a simulated Google. @returns its files */
export function serveDrive(google: GoogleSimulator): DriveState {
  const state = new DriveState();
  google.serve("drive", new DrivePart(state, () => google.origin), () => state.clear());
  return state;
}
