/** The signature of a compound file (MS-CFB §2.2). */
const SIGNATURE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
/** Positions in the header, and in an entry of the directory (MS-CFB §2.2, §2.6). */
const HEADER = { sectorShift: 30, directory: 48, miniFat: 60, fatOfFat: 68, firstFats: 76, end: 512 } as const;
const ENTRY = { length: 128, nameLength: 64, type: 66, left: 68, right: 72, child: 76, start: 116, size: 120 } as const;
const FATS_IN_HEADER = 109;
const LAST_SECTOR = 0xffff_fffa;
const NO_ENTRY = 0xffff_ffff;
const [MINI_SECTOR, MINI_CUTOFF] = [64, 4096];
/** Bytes that are read of a file, by its own length: entries of a made-up one could all name the same sectors. */
const MOST_READ = 4;
const TYPES = { 1: "storage", 2: "stream", 5: "storage" } as const;

/** A stream, or a storage of entries. */
export interface CompoundEntry {
  readonly name: string;
  readonly type: "storage" | "stream";
  readonly start: number;
  /** Bytes. */
  readonly size: number;
  /** By name; empty for a stream. */
  readonly children: ReadonlyMap<string, CompoundEntry>;
}

/** Whether bytes begin as a compound file. */
export const isCompoundFile = (bytes: Uint8Array): boolean =>
  bytes.length > HEADER.end && SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));

/** A compound file (MS-CFB), the container of Outlook's messages. Every method throws RangeError for a damaged one. */
export class CompoundFile {
  readonly root: CompoundEntry;
  readonly #bytes: Buffer;
  readonly #sectorSize: number;
  readonly #fat: readonly number[];
  readonly #miniFat: readonly number[];
  readonly #mini: Buffer;
  #left: number;

  constructor(saved: Uint8Array) {
    this.#bytes = Buffer.from(saved.buffer, saved.byteOffset, saved.length);
    const shift = this.#bytes.readUInt16LE(HEADER.sectorShift);
    if (!isCompoundFile(saved) || (shift !== 9 && shift !== 12)) throw new RangeError("not a compound file");
    this.#sectorSize = 2 ** shift;
    this.#left = saved.length * MOST_READ;
    this.#fat = this.#fatSectors().flatMap((sector) => numbersIn(this.#sector(sector)));
    this.root = this.#directory();
    this.#mini = this.#chained(this.root.start, this.root.size);
    const miniFat = this.#chain(this.#bytes.readUInt32LE(HEADER.miniFat));
    this.#miniFat = miniFat.flatMap((sector) => numbersIn(this.#sector(sector)));
  }

  /** The content of a stream. */
  read({ start, size }: CompoundEntry): Buffer {
    this.#spend(size);
    if (size >= MINI_CUTOFF) return this.#chained(start, size);
    const sectors = size === 0 ? [] : chainIn(this.#miniFat, start, this.#mini.length / MINI_SECTOR);
    const parts = sectors.map((sector) => this.#mini.subarray(sector * MINI_SECTOR, (sector + 1) * MINI_SECTOR));
    return whole(parts, size);
  }

  /** The number of sectors that the file has room for. */
  get #sectors(): number {
    return Math.ceil(this.#bytes.length / this.#sectorSize);
  }

  #spend(size: number): void {
    this.#left -= size;
    if (this.#left < 0) throw new RangeError("the streams are longer than the file");
  }

  #sector(sector: number): Buffer {
    const at = (sector + 1) * this.#sectorSize;
    if (at >= this.#bytes.length) throw new RangeError("a sector is behind the end");
    return this.#bytes.subarray(at, at + this.#sectorSize);
  }

  /** The sectors of the table of sectors: the first in the header, the others in a chain of their own. */
  #fatSectors(): number[] {
    const inHeader = numbersIn(this.#bytes.subarray(HEADER.firstFats, HEADER.firstFats + 4 * FATS_IN_HEADER));
    const found = [...inHeader];
    let next = this.#bytes.readUInt32LE(HEADER.fatOfFat);
    for (let read = 0; next < LAST_SECTOR; read++) {
      if (read > this.#sectors || found.length > FATS_IN_HEADER + this.#sectors) throw new RangeError("the sectors go round");
      const numbers = numbersIn(this.#sector(next));
      next = numbers.pop() as number;
      found.push(...numbers);
    }
    return found.filter((sector) => sector < LAST_SECTOR);
  }

  #chain(start: number): number[] {
    return chainIn(this.#fat, start, this.#sectors);
  }

  #chained(start: number, size: number): Buffer {
    this.#spend(size);
    return whole(
      (size === 0 ? [] : this.#chain(start)).map((sector) => this.#sector(sector)),
      size,
    );
  }

  /** The tree of entries, each of which can have one place only. */
  #directory(): CompoundEntry {
    const sectors = this.#chain(this.#bytes.readUInt32LE(HEADER.directory)).map((sector) => this.#sector(sector));
    const entries = Buffer.concat(sectors);
    const seen = new Set<number>();
    const entryAt = (index: number): CompoundEntry & { siblings: readonly number[] } => {
      const at = index * ENTRY.length;
      if (seen.has(index) || at + ENTRY.length > entries.length) throw new RangeError("an entry has no place");
      seen.add(index);
      const nameLength = Math.min(entries.readUInt16LE(at + ENTRY.nameLength), ENTRY.nameLength);
      const type = TYPES[entries[at + ENTRY.type] as keyof typeof TYPES];
      if (type === undefined) throw new RangeError("an entry has no type");
      const child = entries.readUInt32LE(at + ENTRY.child);
      return {
        name: entries.toString("utf16le", at, at + Math.max(nameLength - 2, 0)),
        type,
        start: entries.readUInt32LE(at + ENTRY.start),
        size: entries.readUInt32LE(at + ENTRY.size),
        children: type === "storage" ? childrenFrom(child) : new Map(),
        siblings: [entries.readUInt32LE(at + ENTRY.left), entries.readUInt32LE(at + ENTRY.right)],
      };
    };
    const childrenFrom = (first: number): Map<string, CompoundEntry> => {
      const found = new Map<string, CompoundEntry>();
      const waiting = [first];
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        if (index === NO_ENTRY) continue;
        const { siblings, ...entry } = entryAt(index);
        found.set(entry.name, entry);
        waiting.push(...siblings);
      }
      return found;
    };
    const { siblings: _none, ...root } = entryAt(0);
    return root;
  }
}

const numbersIn = (bytes: Buffer): number[] =>
  Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));

/** The sectors of a chain. @param most number of sectors there are */
function chainIn(table: readonly number[], start: number, most: number): number[] {
  const sectors: number[] = [];
  for (let sector = start; sector < LAST_SECTOR; sector = table[sector] as number) {
    if (sector >= table.length || sectors.length >= most) throw new RangeError("a chain of sectors has no end");
    sectors.push(sector);
  }
  return sectors;
}

/** The first bytes of parts. */
function whole(parts: readonly Buffer[], size: number): Buffer {
  const bytes = Buffer.concat(parts);
  if (bytes.length < size) throw new RangeError("a stream is cut short");
  return bytes.subarray(0, size);
}
