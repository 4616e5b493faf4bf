/** The bytes are not valid protobuf, or exceed their message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/**
 * A cursor over protobuf bytes (otlp 4). Every read gets the end of its message and throws {@link ProtobufError} rather
 * than pass it. A tag is compared whole, field number and wire type together, so that a field of the wrong type is
 * skipped as unknown instead of being misread. Groups are an error: OTLP has none.
 */
export class ProtobufReader {
  readonly #bytes: Buffer;
  position: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.position = 0;
  }

  /** Field number times 8 plus wire type. */
  readTag(end: number): number {
    const tag = this.#readUint32(end);
    if (tag < 8) throw new ProtobufError("a field has number 0");
    return tag;
  }

  /** Reads the length of a delimited field and returns its end; the cursor is at its first byte. */
  readLength(end: number): number {
    const length = this.#readUint32(end);
    const fieldEnd = this.position + length;
    if (fieldEnd > end) throw new ProtobufError("a field is longer than the message around it");
    return fieldEnd;
  }

  /** Bytes that are not UTF-8 become U+FFFD: a span is not rejected for one bad label. */
  readString(end: number): string {
    const fieldEnd = this.readLength(end);
    const start = this.position;
    this.position = fieldEnd;
    return start === fieldEnd ? "" : this.#bytes.toString("utf8", start, fieldEnd);
  }

  /** Lowercase hex. Of an id that is far too long only the beginning is read, enough to detect the fault. */
  readHex(end: number): string {
    const fieldEnd = this.readLength(end);
    const start = this.position;
    this.position = fieldEnd;
    return this.#bytes.toString("hex", start, Math.min(fieldEnd, start + 32));
  }

  readBase64(end: number): string {
    const fieldEnd = this.readLength(end);
    const start = this.position;
    this.position = fieldEnd;
    return this.#bytes.toString("base64", start, fieldEnd);
  }

  readBool(end: number): boolean {
    return this.readInt64(end) !== 0;
  }

  readInt32(end: number): number {
    const value = this.readInt64(end);
    return typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, BigInt(value)));
  }

  /** Signed; a decimal string if a number cannot represent it exactly. */
  readInt64(end: number): number | string {
    const bytes = this.#bytes;
    let position = this.position;
    let value = 0;
    let scale = 1;
    // Seven bytes of seven bits stay below 2^53; only longer numbers, including negative ones, need a BigInt.
    for (let count = 0; count < 7; count += 1) {
      if (position >= end) throw new ProtobufError("a number is cut off");
      const byte = bytes[position] as number;
      position += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        this.position = position;
        return value;
      }
      scale *= 128;
    }
    return this.#readLongInt64(position, value, end);
  }

  readFixed32(end: number): number {
    const value = this.#take(4, end);
    return this.#bytes.readUInt32LE(value);
  }

  readFixed64(end: number): bigint {
    const start = this.#take(8, end);
    return this.#bytes.readBigUInt64LE(start);
  }

  readDouble(end: number): number {
    const start = this.#take(8, end);
    return this.#bytes.readDoubleLE(start);
  }

  /** Skips the field whose tag was just read. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case 0:
        this.readInt64(end);
        return;
      case 1:
        this.#take(8, end);
        return;
      case 2:
        this.position = this.readLength(end);
        return;
      case 5:
        this.#take(4, end);
        return;
      default:
        throw new ProtobufError(`a field has wire type ${tag & 7}`);
    }
  }

  #take(count: number, end: number): number {
    const start = this.position;
    if (start + count > end) throw new ProtobufError("a number is cut off");
    this.position = start + count;
    return start;
  }

  #readUint32(end: number): number {
    const bytes = this.#bytes;
    if (this.position < end) {
      const byte = bytes[this.position] as number;
      if (byte < 0x80) {
        this.position += 1;
        return byte;
      }
    }
    const value = this.readInt64(end);
    if (typeof value !== "number" || value < 0 || value > 0xffffffff) {
      throw new ProtobufError("a tag or length is out of range");
    }
    return value;
  }

  #readLongInt64(start: number, low49: number, end: number): number | string {
    let position = start;
    let value = BigInt(low49);
    for (let shift = 49n; shift <= 63n; shift += 7n) {
      if (position >= end) throw new ProtobufError("a number is cut off");
      const byte = this.#bytes[position] as number;
      position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.position = position;
        const signed = BigInt.asIntN(64, value);
        const number = Number(signed);
        return Number.isSafeInteger(number) ? number : signed.toString();
      }
    }
    throw new ProtobufError("a number is longer than 10 bytes");
  }
}
