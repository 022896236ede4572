/** True on a local machine. Receivers of webhooks may then be on this computer, also by http and at any port. */
export const reachesLoopback = process.env['WEBHOOKS_REACH_LOOPBACK'] === 'yes';
