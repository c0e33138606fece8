declare module 'rocksdb' {
  type Callback<T = void> = (error: Error | null | undefined, value: T) => void;

  interface Operation {
    type: 'put' | 'del';
    key: string | Buffer;
    value?: string | Buffer;
  }

  interface Iterator {
    next(callback: (error: Error | null | undefined, key?: Buffer, value?: Buffer) => void): void;
    end(callback: Callback): void;
  }

  interface RocksDB {
    open(options: Record<string, unknown>, callback: Callback): void;
    close(callback: Callback): void;
    get(key: string | Buffer, options: { asBuffer: true }, callback: Callback<Buffer>): void;
    batch(operations: Operation[], options: { sync: boolean }, callback: Callback): void;
    compactRange(start: string | Buffer, end: string | Buffer, callback: Callback): void;
    iterator(options: Record<string, unknown>): Iterator;
  }

  export default function rocksdb(location: string): RocksDB;
}
