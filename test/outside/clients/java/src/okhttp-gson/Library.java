import client.ApiClient;
import client.JSON;
import java.util.List;

/** What is particular to the clients that use OkHttp and Gson. */
class Library {
  /** A client of the server that the description names. */
  static ApiClient client(String token, String key, List<String> keyedPaths) {
    ApiClient client = new ApiClient();
    client.setBearerToken(token);
    client.setApiKey(key);
    return client;
  }

  static <T> T read(String json, Class<T> type) {
    return JSON.deserialize(json, type);
  }

  static String write(Object value) {
    return JSON.serialize(value);
  }
}
