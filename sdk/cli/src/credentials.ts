import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { StateError } from "./usage.ts";

/** A stored sign-in at one address: a key, or the tokens of OAuth. */
export interface SignIn {
  key?: string;
  /** The registered client, used again at the next sign-in. */
  clientId?: string;
  accessToken?: string;
  refreshToken?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number;
}

/** What the file has: the address that is meant without `--url`, and a sign-in by address. */
export interface Stored {
  current?: string;
  addresses: Record<string, SignIn>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `KANTOOR_CONFIG`, or `kantoor/credentials.json` in the person's folder for configuration. */
export function credentialsFile(environment: Environment): string {
  const { KANTOOR_CONFIG: own, XDG_CONFIG_HOME: xdg, APPDATA: windows } = environment;
  if (own) return own;
  return path.join(xdg || windows || path.join(homedir(), ".config"), "kantoor", "credentials.json");
}

/** The stored sign-ins, in a file that its owner alone can read. */
export class Credentials {
  readonly file: string;
  constructor(file: string) {
    this.file = file;
  }

  /** Reads the file again: another process may have renewed a token. @throws StateError if it is not what this program wrote */
  read(): Stored {
    let text: string;
    try {
      text = readFileSync(this.file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { addresses: {} };
      throw new StateError(`${this.file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
    try {
      const stored = JSON.parse(text) as Stored;
      return { ...stored, addresses: { ...stored.addresses } };
    } catch {
      throw new StateError(`${this.file} is damaged; remove it and sign in again.`);
    }
  }

  /** Changes the file as a whole: a reader sees the version before or the new one. */
  change(make: (stored: Stored) => void): void {
    const stored = this.read();
    make(stored);
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.${randomBytes(6).toString("hex")}`;
    try {
      writeFileSync(draft, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(draft, this.file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw new StateError(`${this.file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
    }
  }
}
