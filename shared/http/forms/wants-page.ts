/**
 * True if the sender of this `Accept` is a browser that shows the response (RFC 9110, section 12.5.1). A
 * client that names JSON as well can read both, and gets JSON.
 */
export function wantsPage(accept = ''): boolean {
  const wanted = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  return wanted.includes('text/html') && !wanted.includes('application/json');
}
