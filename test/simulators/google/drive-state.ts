import { randomBytes } from "node:crypto";
import type { GooglePersonRecord } from "./grants.ts";

export const FOLDER = "application/vnd.google-apps.folder";

export interface SimulatedFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** Its shared drive; null on a person's own drive. */
  driveId: string | null;
  trashed: boolean;
  createdTime: string;
  modifiedTime: string;
  /** Null for folders. */
  size: string | null;
  appProperties: Record<string, string>;
  /** Subjects of the people who can read it, in addition to those who can read its folder. */
  readers: Set<string>;
  /** False if people can read it but not change it. */
  isWritable: boolean;
  isCopyable: boolean;
}

export interface SimulatedUpload {
  address: string;
  name: string;
  parentId: string;
  mimeType: string;
  appProperties: Record<string, string>;
  origin: string | null;
}

interface FileParts extends Partial<Omit<SimulatedFile, "id" | "readers">> {
  parent?: SimulatedFile;
  /** The owner of it or its folder; for files without a folder. */
  person?: GooglePersonRecord;
}

/** Files and folders of Google Drive: personal and shared drives; names need not be unique. */
export class DriveState {
  readonly files = new Map<string, SimulatedFile>();
  readonly uploads: SimulatedUpload[] = [];
  /** Hides new files from lists until `catchUp`, like a lagging index of Google. */
  lags = false;
  /** Marks every search as incomplete. */
  searchesPartly = false;
  readonly #unlisted = new Set<string>();
  #made = 0;

  clear(): void {
    this.files.clear();
    this.uploads.length = 0;
    this.#unlisted.clear();
    this.lags = false;
    this.searchesPartly = false;
  }

  /** Creates a file; with the folder `mimeType`, a folder. */
  file(name: string, { parent, person, ...parts }: FileParts = {}): SimulatedFile {
    // A second apart, so that the order is unambiguous.
    const at = new Date(Date.UTC(2026, 0, 1) + (this.#made += 1) * 1000).toISOString();
    const file: SimulatedFile = {
      id: randomBytes(16).toString("base64url"),
      name,
      mimeType: "text/plain",
      parents: parent ? [parent.id] : [],
      driveId: parent?.driveId ?? null,
      trashed: false,
      createdTime: at,
      modifiedTime: at,
      size: parts.mimeType?.startsWith("application/vnd.google-apps.") ? null : "12",
      appProperties: {},
      readers: new Set(person ? [person.subject] : []),
      isWritable: true,
      isCopyable: true,
      ...parts,
    };
    this.files.set(file.id, file);
    if (this.lags) this.#unlisted.add(file.id);
    return file;
  }

  folder(name: string, parts: FileParts = {}): SimulatedFile {
    return this.file(name, { ...parts, mimeType: FOLDER });
  }

  /** Creates a shared drive: its id is that of its root folder. @param members the people who can read it */
  sharedDrive(name: string, ...members: GooglePersonRecord[]): SimulatedFile {
    const root = this.folder(name, {});
    root.driveId = root.id;
    for (const { subject } of members) root.readers.add(subject);
    return root;
  }

  /** Updates the index: everything is listed. */
  catchUp(): void {
    this.lags = false;
    this.#unlisted.clear();
  }

  isListed = ({ id }: SimulatedFile): boolean => !this.#unlisted.has(id);

  /** Whether a person can read a file: by their own right, or a right to a folder above it. */
  mayRead(file: SimulatedFile, person: GooglePersonRecord): boolean {
    if (file.readers.has(person.subject)) return true;
    return file.parents.some((id) => {
      const parent = this.files.get(id);
      return parent !== undefined && this.mayRead(parent, person);
    });
  }

  /** A folder's content that is not in the bin, oldest first. */
  childrenOf({ id }: { id: string }): SimulatedFile[] {
    return [...this.files.values()].filter(({ parents, trashed }) => !trashed && parents.includes(id));
  }

  /** Completes an upload: the file exists from now on. @param address of the session */
  finish(address: string): SimulatedFile {
    const upload = this.uploads.find((one) => one.address === address);
    if (!upload) throw new Error("no such upload session");
    const parent = this.files.get(upload.parentId);
    const { name, mimeType, appProperties } = upload;
    return this.file(name, { ...(parent && { parent }), mimeType, appProperties });
  }
}
