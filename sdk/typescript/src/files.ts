/** A file to send: a `Blob` or `File`, or bytes, text or a stream with a name. */
export type Upload = Blob | NamedBytes;

export interface NamedBytes {
  /** Name of the file, with its ending. */
  name: string;
  data: Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | string;
  /** Media type, such as `application/pdf`. */
  type?: string;
}

/** A stream is read here, for a retry has to send it again; the service takes files of at most 10 MiB. */
async function fileOf(upload: Upload): Promise<{ blob: Blob; name: string }> {
  if (upload instanceof Blob) return { blob: upload, name: upload instanceof File ? upload.name : "file" };
  const { name, data, type } = upload;
  const bytes =
    data instanceof ReadableStream ? await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer() : data;
  return {
    blob: new Blob([bytes as Blob | ArrayBuffer | string], { type: type ?? (bytes instanceof Blob ? bytes.type : "") }),
    name,
  };
}

const isUpload = (value: unknown): value is Upload =>
  value instanceof Blob || (typeof value === "object" && value !== null && "name" in value && "data" in value);

/** The members of a body as a form: files as parts with a name, lists as repeated members; undefined and null are left out. */
export async function formOf(body: object): Promise<FormData> {
  const form = new FormData();
  for (const [key, value] of Object.entries(body))
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (isUpload(one)) {
        const { blob, name } = await fileOf(one);
        form.append(key, blob, name);
      } else form.append(key, typeof one === "object" ? JSON.stringify(one) : String(one));
    }
  return form;
}

/** `filename` of a `Content-Disposition`; the extended form of RFC 6266 counts more. */
function nameIn(disposition: string | null): string | undefined {
  const extended = disposition?.match(/filename\*=UTF-8''([^;]+)/i)?.[1];
  if (extended) return decodeURIComponent(extended);
  return disposition?.match(/filename="((?:[^"\\]|\\.)*)"/i)?.[1]?.replace(/\\(.)/g, "$1") ?? undefined;
}

/** A file of an answer. Its body can be read once, as a stream or whole. */
export class Download {
  readonly contentType: string;
  /** Name that the service proposes. */
  readonly filename: string | undefined;
  /** Size in bytes, if the service says it. */
  readonly size: number | undefined;
  readonly etag: string | undefined;
  readonly #answer: Response;
  constructor(answer: Response) {
    this.#answer = answer;
    this.contentType = answer.headers.get("content-type") ?? "application/octet-stream";
    this.filename = nameIn(answer.headers.get("content-disposition"));
    const length = answer.headers.get("content-length");
    this.size = length === null ? undefined : Number(length);
    this.etag = answer.headers.get("etag") ?? undefined;
  }
  get stream(): ReadableStream<Uint8Array> {
    return this.#answer.body ?? new Blob([]).stream();
  }
  blob(): Promise<Blob> {
    return this.#answer.blob();
  }
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#answer.arrayBuffer();
  }
  text(): Promise<string> {
    return this.#answer.text();
  }
}
