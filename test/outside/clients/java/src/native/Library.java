import client.ApiClient;
import client.JSON;
import java.net.URI;
import java.util.List;

/** What is particular to the clients that use Java's own HTTP client, and Jackson. */
class Library {
  /** A client of the server that the description names. */
  static ApiClient client(String token, String key, List<String> keyedPaths) {
    ApiClient client = new ApiClient();
    client.setRequestInterceptor(
        request -> {
          URI address = request.build().uri();
          if (keyedPaths.stream().noneMatch(address.getPath()::endsWith)) request.header("Authorization", "Bearer " + token);
          else request.uri(URI.create(address + (address.getQuery() == null ? "?" : "&") + "key=" + key));
        });
    return client;
  }

  static <T> T read(String json, Class<T> type) throws Exception {
    return JSON.getDefault().getMapper().readValue(json, type);
  }

  static String write(Object value) throws Exception {
    return JSON.getDefault().getMapper().writeValueAsString(value);
  }
}
