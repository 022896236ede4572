import { isIP, Socket } from 'node:net';

/** True for a host of this computer, without looking it up. */
const isHere = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Host that a socket is told to connect to; undefined for a path. */
function hostOf([first, second]: readonly unknown[]): string | undefined {
  // Node.js itself passes a list of the options and a callback.
  const options: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof options !== 'object' || options === null)
    return typeof second === 'string' ? second : 'localhost';
  if ('path' in options && options.path) return undefined;
  return 'host' in options && typeof options.host === 'string' ? options.host : 'localhost';
}

/**
 * Lets no socket of this thread connect to another computer, nor look up its name: such a socket fails at once. Returns a
 * function that ends this.
 */
export function connectToLoopbackAlone(): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- It is called with its socket.
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const host = hostOf(args);
    if (host === undefined || isHere(host)) {
      Reflect.apply(connect, this, args);
      return this;
    }
    const error = Object.assign(new Error(`connect ENETUNREACH ${host}`), { code: 'ENETUNREACH' });
    process.nextTick(() => this.destroy(error));
    return this;
  };
  return () => {
    Socket.prototype.connect = connect;
  };
}
